"""Step 12. Closures pequeñas, como en TypeScript."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

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
        batch, seq, width = hidden_states.shape
        projected = attn.c_attn(hidden_states)

        def part(i: int) -> Tensor:
            # la parte i: 0 query, 1 key, 2 value
            chunk = projected[..., i * attn.split_size : (i + 1) * attn.split_size]
            return chunk.reshape([batch, seq, attn.num_heads, attn.head_dim]).permute([0, 2, 1, 3])

        def grow(old: Tensor, new: Tensor) -> Tensor:
            return F.concat([old, new], axis=2)

        query, key, value = part(0), part(1), part(2)
        n_past = 0
        if past is not None:
            old_key, old_value = past
            n_past = old_key.shape[2]
            key = grow(old_key, key)
            value = grow(old_value, value)

        # un solo token lo ve todo
        mask = (
            None
            if seq == 1
            else causal_mask(seq, n_past, dtype=query.dtype, device=query.device)
        )
        mixed, _weights = scaled_dot_product_attention(query, key, value, mask)
        merged = mixed.permute([0, 2, 1, 3]).reshape([batch, seq, width])
        return attn.c_proj(merged), (key, value)

    def decode(self, input_ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        model = self.transformer
        seq = input_ids.shape[1]
        start = cache[0][0].shape[2] if cache is not None else 0

        # posiciones en el texto entero
        positions = F.range(
            start, start + seq, out_dim=seq, dtype=DType.int64, device=input_ids.device
        )
        x = model.wte(input_ids) + model.wpe(positions)

        pasts = cache if cache is not None else [None] * len(model.h)
        new_cache: list[KeyValue] = []
        for block, past in zip(model.h, pasts, strict=True):
            found, pair = self._attend(block.attn, block.ln_1(x), past)
            x = x + found
            x = x + block.mlp(block.ln_2(x))
            new_cache.append(pair)

        logits = self.lm_head(model.ln_f(x))
        return logits, tuple(new_cache)


def next_token(
    logits: npt.NDArray[np.floating],
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    draw: float = 0.0,
) -> int:
    """Elige un token."""

    def keep_best(scores: npt.NDArray[np.float64], k: int) -> npt.NDArray[np.float64]:
        # todo lo que está por debajo del k-ésimo desaparece
        k = min(k, scores.size)
        threshold = np.sort(scores)[::-1][k - 1]
        return np.where(scores >= threshold, scores, -np.inf)

    def softmax(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        powers = np.exp(scores - scores.max())
        return powers / powers.sum()

    if temperature == 0.0:
        return int(logits.argmax())
    scores = logits.astype(np.float64) / temperature
    if top_k is not None:
        scores = keep_best(scores, top_k)
    ends = softmax(scores).cumsum()
    ends = ends / ends[-1]
    return int(np.searchsorted(ends, draw, side="right"))


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
    """Un token cada vez."""
    numbers = iter(np.random.default_rng().random, None) if draws is None else iter(draws)
    text = list(tokens)
    cache: Cache | None = None

    def to_ids(part: Sequence[int]) -> Tensor:
        return Tensor([list(part)], dtype=DType.int64)

    def read_cached() -> Tensor:
        nonlocal cache
        unread = text if cache is None else text[-1:]
        logits, cache = model.decode(to_ids(unread), cache)
        return logits

    def read_all() -> Tensor:
        return model(to_ids(text))

    read: Callable[[], Tensor] = read_cached if use_cache else read_all
    written = 0
    while written < max_new_tokens and len(text) < model.config.n_positions:
        with F.lazy():
            logits = read()
        last = logits.to_numpy()[0, -1]
        # solo se gasta un número al azar si hace falta
        draw = next(numbers) if temperature > 0 else 0.0
        token = next_token(last, temperature=temperature, top_k=top_k, draw=draw)
        text.append(token)
        written += 1
        yield token
        if token == eos_token_id:
            break


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
    """El texto entero."""
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
