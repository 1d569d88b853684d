"""Step 12: writing text.

The model scores every token of the vocabulary as the next one. To write is to choose one, append
it to the text, and ask again. This step chooses, loops, and keeps the keys and values of all
tokens so far, so that every new token costs one token's work. It is the longest file of the
course, because choosing, reading with a cache and writing need each other.

Tasks:
    1. Import functional as F and Tensor.
    2. Let GPT-2's attention look at cached keys and values.
    3. Run the model on new tokens only, and hand back the grown cache.
    4. Choose the likeliest token.
    5. Or make probabilities of the best scores, and draw from them.
    6. Write: feed the new tokens, choose, append, and know when to stop.

Run: ./pixiw run s12
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
from max.dtype import DType

# TODO: Import functional (as F) and Tensor.
# Hint: from max.experimental import functional as F
# Hint: Tensor lives in max.experimental.tensor.
from max.experimental import functional as F
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention
from solutions.solution_05 import GPT2Attention
from solutions.solution_11 import GPT2LMHeadModel

KeyValue = tuple[Tensor, Tensor]
"""Keys and values of one block, each ``[batch, n_head, total, head_dim]``."""

Cache = tuple[KeyValue, ...]
"""Keys and values of all blocks, in order."""


class GPT2WithCache(GPT2LMHeadModel):
    def _attend(
        self, attn: GPT2Attention, hidden_states: Tensor, past: KeyValue | None
    ) -> tuple[Tensor, KeyValue]:
        heads = hidden_states.shape[:-1] + [attn.num_heads, attn.head_dim]
        q, k, v = F.split(attn.c_attn(hidden_states), [attn.split_size] * 3, axis=2)
        q = q.reshape(heads).transpose(1, 2)
        k = k.reshape(heads).transpose(1, 2)
        v = v.reshape(heads).transpose(1, 2)
        if past is not None:
            vieux_k, vieux_v = past
            k = F.concat([vieux_k, k], axis=2)
            v = F.concat([vieux_v, v], axis=2)
        mask = None
        if hidden_states.shape[1] != 1:
            avant = past[0].shape[2] if past is not None else 0
            mask = causal_mask(hidden_states.shape[1], avant, dtype=q.dtype, device=q.device)
        melange = scaled_dot_product_attention(q, k, v, mask=mask)[0]
        fusion = melange.transpose(1, 2).reshape(hidden_states.shape)
        return attn.c_proj(fusion), (k, v)

    def decode(self, input_ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        transformer = self.transformer
        passe = cache[0][0].shape[2] if cache is not None else 0
        nouveaux = input_ids.shape[1]
        places = F.range(
            passe, passe + nouveaux, out_dim=nouveaux, dtype=DType.int64, device=input_ids.device
        )
        x = transformer.wte(input_ids) + transformer.wpe(places)
        paires = cache if cache is not None else [None] * len(transformer.h)
        suite = []
        for bloc, paire in zip(transformer.h, paires):
            ajout, paire = self._attend(bloc.attn, bloc.ln_1(x), paire)
            x = x + ajout
            x = x + bloc.mlp(bloc.ln_2(x))
            suite.append(paire)
        x = transformer.ln_f(x)
        return self.lm_head(x), tuple(suite)


def next_token(
    logits: npt.NDArray[np.floating],
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    draw: float = 0.0,
) -> int:
    if temperature == 0.0:
        return int(logits.argmax())
    notes = np.asarray(logits, dtype=np.float64) / temperature
    if top_k is not None:
        k = min(top_k, notes.size)
        seuil = np.partition(notes, -k)[-k]
        notes = np.where(notes >= seuil, notes, -np.inf)
    notes = np.exp(notes - notes.max())
    bornes = np.cumsum(notes / notes.sum())
    bornes /= bornes[-1]
    return int(np.searchsorted(bornes, draw, side="right"))


def stream(
    model: GPT2WithCache,
    tokens: Sequence[int],
    max_new_tokens: int,
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    eos_token_id: int | None = None,
    use_cache: bool = True,
    draws: Iterable[float] | None = None,
) -> Iterator[int]:
    numbers = iter(np.random.default_rng().random, None) if draws is None else iter(draws)
    text = list(tokens)
    cache: Cache | None = None
    restant = min(max_new_tokens, model.config.n_positions - len(text))
    a_lire = list(text)
    while restant > 0:
        ids = Tensor([a_lire], dtype=DType.int64)
        with F.lazy():
            if use_cache:
                logits, cache = model.decode(ids, cache)
            else:
                logits = model(ids)
        scores = logits.to_numpy()[0, -1]
        hasard = next(numbers) if temperature > 0 else 0.0
        choix = next_token(scores, temperature=temperature, top_k=top_k, draw=hasard)
        text.append(choix)
        yield choix
        if choix == eos_token_id:
            break
        restant -= 1
        a_lire = [choix] if use_cache else text


def generate(
    model: GPT2WithCache,
    tokens: Sequence[int],
    max_new_tokens: int,
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    eos_token_id: int | None = None,
    use_cache: bool = True,
    draws: Iterable[float] | None = None,
) -> list[int]:
    """Continue ``tokens``, and return the whole text: see :func:`stream`."""
    written = stream(
        model,
        tokens,
        max_new_tokens,
        temperature=temperature,
        top_k=top_k,
        eos_token_id=eos_token_id,
        use_cache=use_cache,
        draws=draws,
    )
    return [*tokens, *written]
