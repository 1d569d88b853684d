"""Charan 12: chhote kaam alag, aur kuchh jaanch sandesh ke saath."""
from __future__ import annotations
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
import numpy as np
import numpy.typing as npt
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention
from solutions.solution_05 import GPT2Attention
from solutions.solution_11 import GPT2LMHeadModel
KeyValue = tuple[Tensor, Tensor]; Cache = tuple[KeyValue, ...]
class GPT2WithCache(GPT2LMHeadModel):
    def _attend(self, attn: GPT2Attention, hidden_states: Tensor, past: KeyValue | None) -> tuple[Tensor, KeyValue]:
        sir = [attn.num_heads, attn.head_dim]
        bhaag = F.split(attn.c_attn(hidden_states), [attn.embed_dim for _ in "qkv"], axis=-1)
        prashn, kunji, mulya = (
            b.reshape(list(b.shape[:-1]) + sir).transpose(-2, -3) for b in bhaag
        )
        x1 = [kunji]
        x2 = [mulya]
        pichhla = 0
        if past is not None:
            x1.insert(0, past[0])
            x2.insert(0, past[1])
            pichhla = past[1].shape[-2]
        if len(x1) > 1:
            kunji = F.concat(x1, axis=-2)
            mulya = F.concat(x2, axis=-2)
        ank = prashn.shape[-2]
        parda = causal_mask(ank, pichhla, dtype=prashn.dtype, device=prashn.device)
        if ank == 1:
            parda = None
        milan = scaled_dot_product_attention(prashn, kunji, mulya, parda)
        mila = milan[0].transpose(-2, -3)
        mila = mila.reshape(hidden_states.shape)
        return attn.c_proj(mila), (kunji, mulya)
    def _yaad(self, kram: int, cache: Cache | None = None) -> KeyValue | None:
        if cache is None:
            return None
        return cache[kram]
    def decode(self, input_ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        pehli = self._yaad(0, cache)
        shuru = 0
        if pehli is not None:
            shuru = pehli[0].shape[-2]
        lambai = input_ids.shape[-1]
        ant = shuru + lambai
        sthan = F.range(shuru, ant, out_dim=lambai, dtype=DType.int64, device=input_ids.device)
        dhara = self.transformer.wpe(sthan) + self.transformer.wte(input_ids)
        nayi = [self._yaad(i, cache) for i in range(len(self.transformer.h))]
        for kram, khand in enumerate(self.transformer.h, start=0):
            jod, nayi[kram] = self._attend(khand.attn, khand.ln_1(dhara), nayi[kram])
            dhara = dhara + jod
            jod = khand.mlp(khand.ln_2(dhara))
            dhara = dhara + jod
        return self.lm_head(self.transformer.ln_f(dhara)), tuple(nayi)
def next_token(
    logits: npt.NDArray[np.floating], *,
    temperature: float = 0.0, top_k: int | None = None, draw: float = 0.0,
) -> int:
    if logits.ndim != 1:
        raise ValueError(f"ek hi vector chahiye, mila {logits.shape}")
    if temperature == 0:
        return int(np.argmax(logits))
    ank = logits.astype(np.float64) / temperature
    rakho = np.ones(len(ank), dtype=bool)
    if top_k is not None:
        seema = np.sort(ank)[-min(top_k, len(ank))]
        rakho = ank >= seema
    hisse = np.where(rakho, np.exp(ank - ank.max()), 0.0)
    hisse = hisse / hisse.sum()
    seemaen = list(accumulate(hisse.tolist()))
    return bisect_right(seemaen, draw * seemaen[-1])
def stream(
    model: GPT2WithCache, tokens: Sequence[int], max_new_tokens: int, *,
    temperature: float = 0.0, top_k: int | None = None, eos_token_id: int | None = None,
    use_cache: bool = True, draws: Iterable[float] | None = None,
) -> Iterator[int]:
    numbers = iter(np.random.default_rng().random, None) if draws is None else iter(draws)
    text = list(tokens)
    cache: Cache | None = None
    def poochho(kya: list[int]) -> Tensor:
        nonlocal cache
        ids = Tensor([kya], dtype=DType.int64)
        with F.lazy():
            if use_cache:
                jawab, cache = model.decode(ids, cache)
                return jawab
            return model(ids)
    seema = min(len(text) + max_new_tokens, model.config.n_positions)
    naya = list(text)
    while len(text) < seema:
        ank = poochho(naya).to_numpy()[0, -1]
        token = next_token(
            ank,
            draw=next(numbers) if temperature else 0.0,
            top_k=top_k,
            temperature=temperature,
        )
        text.append(token)
        naya = text[-1:] if use_cache else text
        yield token
        if token == eos_token_id:
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
