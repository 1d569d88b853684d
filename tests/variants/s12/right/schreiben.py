"""Schritt 12 auf Deutsch: die Auswahl in kleinen Funktionen."""

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


class GPT2WithCache(GPT2LMHeadModel):
    def _attend(
        self, attn: GPT2Attention, hidden_states: Tensor, past: KeyValue | None
    ) -> tuple[Tensor, KeyValue]:
        teile = F.split(attn.c_attn(hidden_states), [attn.split_size] * 3, axis=2)
        q, k, v = [attn._split_heads(t, attn.num_heads, attn.head_dim) for t in teile]
        vorher = 0
        if past is not None:
            k_alt, v_alt = past
            vorher = k_alt.shape[-2]
            k = F.concat([k_alt, k], axis=-2)
            v = F.concat([v_alt, v], axis=-2)
        maske = None
        if hidden_states.shape[-2] != 1:
            maske = causal_mask(hidden_states.shape[-2], vorher, dtype=q.dtype, device=q.device)
        gemischt = scaled_dot_product_attention(q, k, v, maske)[0]
        gemischt = attn._merge_heads(gemischt, attn.num_heads, attn.head_dim)
        return attn.c_proj(gemischt), (k, v)

    def decode(self, input_ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        rumpf = self.transformer
        anfang = cache[0][0].shape[2] if cache is not None else 0
        neu = input_ids.shape[1]
        orte = F.range(
            anfang, anfang + neu, out_dim=neu, dtype=DType.int64, device=input_ids.device
        )
        strom = rumpf.wpe(orte) + rumpf.wte(input_ids)
        alte = cache if cache is not None else [None] * len(rumpf.h)
        neue = []
        for block, altes in zip(rumpf.h, alte, strict=True):
            gefunden, paar = self._attend(block.attn, block.ln_1(strom), altes)
            strom = strom + gefunden
            strom = strom + block.mlp(block.ln_2(strom))
            neue.append(paar)
        return self.lm_head(rumpf.ln_f(strom)), tuple(neue)


def _kappen(punkte: npt.NDArray[np.float64], anzahl: int | None) -> npt.NDArray[np.float64]:
    if anzahl is None or anzahl >= len(punkte):
        return punkte
    grenze = np.partition(punkte, -anzahl)[-anzahl]
    return np.where(punkte >= grenze, punkte, -np.inf)


def _anteile(punkte: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    gewichte = np.exp(punkte - punkte.max())
    return gewichte / np.sum(gewichte)


def next_token(
    logits: npt.NDArray[np.floating], *,
    temperature: float = 0.0, top_k: int | None = None, draw: float = 0.0,
) -> int:
    if temperature == 0:
        return int(logits.argmax())
    punkte = _kappen(logits.astype(np.float64) / temperature, top_k)
    enden = np.cumsum(_anteile(punkte))
    return int(np.searchsorted(enden, draw * enden[-1], side="right"))


def stream(
    model: GPT2WithCache, tokens: Sequence[int], max_new_tokens: int, *,
    temperature: float = 0.0, top_k: int | None = None, eos_token_id: int | None = None,
    use_cache: bool = True, draws: Iterable[float] | None = None,
) -> Iterator[int]:
    numbers = iter(np.random.default_rng().random, None) if draws is None else iter(draws)
    text = list(tokens)
    cache: Cache | None = None
    geschrieben = 0
    futter = text[:]
    while geschrieben < max_new_tokens and len(text) < model.config.n_positions:
        ids = Tensor([futter], dtype=DType.int64)
        with F.lazy():
            if use_cache:
                logits, cache = model.decode(ids, cache)
            else:
                logits = model(ids)
        zufall = 0.0 if temperature == 0 else next(numbers)
        wort = next_token(
            logits.to_numpy()[0, -1], temperature=temperature, top_k=top_k, draw=zufall
        )
        text.append(wort)
        geschrieben += 1
        futter = [wort] if use_cache else text[:]
        yield wort
        if eos_token_id is not None and wort == eos_token_id:
            break


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
