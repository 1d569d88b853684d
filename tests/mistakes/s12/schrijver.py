"""Stap 12: tekst schrijven. Afgekeken van nanoGPT, maar dan met een geheugen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

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


def zachtmax(punten):
    """softmax, zonder overloop"""
    e = np.exp(punten - punten.max())
    return e / e.sum()


def trek(kansen, lot):
    """multinomial met één lot: tel de grenzen die het lot voorbij is"""
    grenzen = kansen.cumsum()
    grenzen /= grenzen[-1]
    return int((grenzen <= lot).sum())


def lengte(verleden):
    """hoeveel tokens zitten er al in het geheugen van een blok"""
    if verleden is None:
        return 0
    sleutels, _ = verleden
    return sleutels.shape[2]


def next_token(
    logits: npt.NDArray[np.floating],
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    draw: float = 0.0,
) -> int:
    if not temperature:
        return int(logits.argmax())
    punten = logits.astype(np.float64) / temperature
    if top_k is not None:
        k = min(top_k, punten.size)
        drempel = np.partition(punten, -k)[-k]
        punten = np.where(punten < drempel, -np.inf, punten)
    kansen = zachtmax(punten)
    return trek(kansen, draw)


class GPT2WithCache(GPT2LMHeadModel):
    """GPT-2 met geheugen"""

    def _attend(
        self, attn: GPT2Attention, hidden_states: Tensor, past: KeyValue | None
    ) -> tuple[Tensor, KeyValue]:
        B, T, C = hidden_states.shape  # batch, nieuwe tokens, breedte
        koppen, maat = attn.num_heads, attn.head_dim
        vraag, sleutel, waarde = F.split(attn.c_attn(hidden_states), attn.split_size, axis=2)
        vraag = vraag.reshape([B, T, koppen, maat]).transpose(1, 2)
        sleutel = sleutel.reshape([B, T, koppen, maat]).transpose(1, 2)
        waarde = waarde.reshape([B, T, koppen, maat]).transpose(1, 2)

        masker = None
        if T != 1:  # één token mag alles zien
            masker = causal_mask(T, lengte(past), dtype=vraag.dtype, device=vraag.device)

        if past is not None:
            oude_sleutel, oude_waarde = past
            sleutel = F.concat([oude_sleutel, sleutel], axis=2)
            waarde = F.concat([oude_waarde, waarde], axis=2)

        y, _ = scaled_dot_product_attention(vraag, sleutel, waarde, masker)
        y = y.transpose(1, 2).reshape([B, T, C])  # koppen weer naast elkaar
        return attn.c_proj(y), (sleutel, waarde)

    def decode(self, input_ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        geheugen = [None] * len(self.transformer.h) if cache is None else cache
        t = input_ids.shape[1]
        begin = lengte(geheugen[0])
        plekken = F.range(
            begin, begin + t, out_dim=t, dtype=DType.int64, device=input_ids.device
        )
        x = self.transformer.wte(input_ids) + self.transformer.wpe(plekken)
        nieuw_geheugen = []
        for blok, verleden in zip(self.transformer.h, geheugen):
            aandacht, kv = self._attend(blok.attn, blok.ln_1(x), verleden)
            x = x + aandacht
            x = x + blok.mlp(blok.ln_2(x))
            nieuw_geheugen.append(kv)
        x = self.transformer.ln_f(x)
        return self.lm_head(x), tuple(nieuw_geheugen)


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
    voer = text  # wat het model nog niet gelezen heeft
    geschreven = 0
    while geschreven < max_new_tokens and len(text) < model.config.n_positions:
        idx = Tensor([voer], dtype=DType.int64)
        with F.lazy():
            if use_cache:
                logits, cache = model.decode(idx, cache)
            else:
                logits = model(idx)
        laatste = logits.to_numpy()[0, -1]
        lot = next(numbers) if temperature > 0 else 0.0
        volgende = next_token(laatste, temperature=temperature, top_k=top_k, draw=lot)
        text.append(volgende)
        geschreven += 1
        yield volgende
        if volgende == eos_token_id:
            break
        voer = [volgende] if use_cache else text


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
    text = list(tokens)
    for token in stream(
        model,
        tokens,
        max_new_tokens,
        temperature=temperature,
        top_k=top_k,
        eos_token_id=eos_token_id,
        use_cache=use_cache,
        draws=draws,
    ):
        text.append(token)
    return text
