"""Writing text. Helpers first, then the model, then the sampling pipeline."""

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


def n_cached(past: KeyValue | None):
    """len(df) of the cache, if there is one."""
    if past is None:
        return 0
    old_key, _ = past
    return old_key.shape[2]


def append_rows(old: Tensor, new: Tensor) -> Tensor:
    """Like pd.concat([old, new])."""
    return F.concat([old, new], axis=2)


class GPT2WithCache(GPT2LMHeadModel):
    def _attend(
        self, attn: GPT2Attention, hidden_states: Tensor, past: KeyValue | None
    ) -> tuple[Tensor, KeyValue]:
        batch, seq = hidden_states.shape[0], hidden_states.shape[1]
        width = attn.split_size

        columns = F.split(attn.c_attn(hidden_states), [width, width, width], axis=2)
        query, key, value = [
            col.reshape([batch, seq, attn.num_heads, attn.head_dim]).transpose(1, 2)
            for col in columns
        ]

        before = n_cached(past)
        if past is not None:
            old_key, old_value = past
            key = append_rows(old_key, key)
            value = append_rows(old_value, value)

        mask = None
        if seq > 1:
            mask = causal_mask(seq, before, dtype=query.dtype, device=query.device)

        context, _weights = scaled_dot_product_attention(query, key, value, mask)
        merged = context.transpose(1, 2).reshape([batch, seq, attn.embed_dim])
        return attn.c_proj(merged), (key, value)

    def decode(self, input_ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        gpt = self.transformer
        layers = list(gpt.h)
        past_by_layer = [None] * len(layers) if cache is None else list(cache)

        start = n_cached(past_by_layer[0])
        seq = input_ids.shape[1]
        index = F.range(
            start, start + seq, out_dim=seq, dtype=DType.int64, device=input_ids.device
        )
        x = gpt.wte(input_ids) + gpt.wpe(index)

        records = []
        for layer, past in zip(layers, past_by_layer):
            delta, kv = self._attend(layer.attn, layer.ln_1(x), past)
            x = x + delta
            x = x + layer.mlp(layer.ln_2(x))
            records.append(kv)

        logits = self.lm_head(gpt.ln_f(x))
        return logits, tuple(records)


def keep_largest(scores: npt.NDArray[np.float64], k: int | None) -> npt.NDArray[np.float64]:
    """Series.nlargest(k), but the others stay in the table as -inf."""
    if k is None or k >= scores.size:
        return scores
    threshold = np.sort(scores)[::-1][k - 1]
    return np.where(scores >= threshold, scores, -np.inf)


def normalize(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """value_counts(normalize=True), for exp(scores)."""
    counts = np.exp(scores - scores.max())
    return counts / counts.sum()


def next_token(
    logits: npt.NDArray[np.floating],
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    draw: float = 0.0,
) -> int:
    if temperature == 0:
        return int(logits.argmax())
    scores = logits.astype("float64") / temperature
    scores = keep_largest(scores, top_k)
    probabilities = normalize(scores)
    edges = probabilities.cumsum()
    edges = edges / edges[-1]
    return int(np.searchsorted(edges, draw, side="right"))


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
    written = 0
    while written < max_new_tokens and len(text) < model.config.n_positions:
        batch = text if cache is None else text[-1:]
        frame = Tensor([batch], dtype=DType.int64)
        with F.lazy():
            if use_cache:
                logits, cache = model.decode(frame, cache)
            else:
                logits = model(frame)
        last_row = logits.to_numpy()[0, -1]
        draw = next(numbers) if temperature > 0 else 0.0
        token = next_token(last_row, temperature=temperature, top_k=top_k, draw=draw)
        text.append(token)
        written += 1
        yield token
        if eos_token_id is not None and token == eos_token_id:
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
