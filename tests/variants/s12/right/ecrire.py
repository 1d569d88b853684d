"""Étape 12 : exactement top_k jetons restent, et la boucle est infinie."""
from __future__ import annotations
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
import numpy as np
import numpy.typing as npt
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention
from solutions.solution_05 import GPT2Attention
from solutions.solution_11 import GPT2LMHeadModel

KeyValue = tuple[Tensor, Tensor]
Cache = tuple[KeyValue, ...]

class GPT2WithCache(GPT2LMHeadModel):
    def _attend(
        self, attn: GPT2Attention, hidden_states: Tensor, past: KeyValue | None
    ) -> tuple[Tensor, KeyValue]:
        forme = hidden_states.shape
        taille = attn.split_size
        qkv = attn.c_attn(hidden_states)
        q, k, v = qkv[..., :taille], qkv[..., taille : taille * 2], qkv[..., taille * 2 :]
        q = q.reshape(forme[:-1] + [attn.num_heads, attn.head_dim]).permute([0, 2, 1, 3])
        k = k.reshape(forme[:-1] + [attn.num_heads, attn.head_dim]).permute([0, 2, 1, 3])
        v = v.reshape(forme[:-1] + [attn.num_heads, attn.head_dim]).permute([0, 2, 1, 3])
        match past:
            case None:
                avant = 0
            case (vieux_k, vieux_v):
                avant = vieux_k.shape[-2]
                k = F.concat([vieux_k, k], axis=-2)
                v = F.concat([vieux_v, v], axis=-2)
        longueur = forme[-2]
        masque = (
            None
            if longueur == 1
            else causal_mask(longueur, avant, dtype=q.dtype, device=q.device)
        )
        sortie, poids = scaled_dot_product_attention(q, k, v, masque)
        sortie = sortie.permute([0, 2, 1, 3]).reshape(forme)
        return attn.c_proj(sortie), (k, v)
    def _plonger(self, debut, ids: Tensor) -> Tensor:
        n = ids.shape[-1]
        places = F.range(debut, debut + n, out_dim=n, dtype=DType.int64, device=ids.device)
        return self.transformer.wte(ids) + self.transformer.wpe(places)
    def _bloc(self, block, x: Tensor, memoire: KeyValue | None) -> tuple[Tensor, KeyValue]:
        trouve, memoire = self._attend(block.attn, block.ln_1(x), memoire)
        milieu = x + trouve
        return milieu + block.mlp(block.ln_2(milieu)), memoire
    def decode(self, input_ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        if cache is None:
            debut, memoires = 0, (None,) * len(self.transformer.h)
        else:
            debut, memoires = cache[-1][-1].shape[-2], cache
        x = self._plonger(debut, input_ids)
        nouveau: Cache = ()
        for block, memoire in zip(self.transformer.h, memoires):
            x, memoire = self._bloc(block, x, memoire)
            nouveau += (memoire,)
        x = self.transformer.ln_f(x)
        return self.lm_head(x), nouveau

def next_token(
    logits: npt.NDArray[np.floating], *,
    temperature: float = 0.0, top_k: int | None = None, draw: float = 0.0,
) -> int:
    if temperature == 0.0:
        return int(np.argmax(logits))
    scores = logits.astype(np.float64)
    scores = (scores - scores.max()) / temperature
    garder = len(scores) if top_k is None else min(top_k, len(scores))
    ordre = np.argsort(-scores, kind="stable")
    rejet = ordre[garder:]
    parts = np.exp(scores)
    parts[rejet] = 0.0
    bornes = np.add.accumulate(parts)
    bornes = bornes / bornes[-1]
    return int(np.count_nonzero(bornes <= draw))

def stream(
    model: GPT2WithCache, tokens: Sequence[int], max_new_tokens: int, *,
    temperature: float = 0.0, top_k: int | None = None, eos_token_id: int | None = None,
    use_cache: bool = True, draws: Iterable[float] | None = None,
) -> Iterator[int]:
    numbers = iter(np.random.default_rng().random, None) if draws is None else iter(draws)
    text = list(tokens)
    cache: Cache | None = None
    for ecrits in count():
        if ecrits >= max_new_tokens or len(text) >= model.config.n_positions:
            return
        if cache is None:
            ids = Tensor([text], dtype=DType.int64)
        else:
            ids = Tensor([[text[-1]]], dtype=DType.int64)
        with F.lazy():
            logits, cache = model.decode(ids, cache) if use_cache else (model(ids), None)
        options = {"temperature": temperature, "top_k": top_k}
        if temperature != 0:
            options["draw"] = next(numbers)
        jeton = next_token(logits.to_numpy()[0, -1, :], **options)
        text += [jeton]
        yield jeton
        if jeton == eos_token_id:
            return

def generate(
    model: GPT2WithCache, tokens: Sequence[int], max_new_tokens: int, *,
    temperature: float = 0.0, top_k: int | None = None, eos_token_id: int | None = None,
    use_cache: bool = True, draws: Iterable[float] | None = None,
) -> list[int]:
    written = stream(
        model, tokens, max_new_tokens, temperature=temperature, top_k=top_k,
        eos_token_id=eos_token_id, use_cache=use_cache, draws=draws,
    )
    return [*tokens, *written]
