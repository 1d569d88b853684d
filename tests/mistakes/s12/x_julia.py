"""Step 12: writing text. Notes to myself: indices start at 0, ranges exclude their end."""

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


def vcat(old: Tensor, new: Tensor) -> Tensor:
    """Old tokens first."""
    return F.concat([old, new], axis=2)


def cached_length(pair: KeyValue | None):
    """How many tokens a pair holds."""
    if pair is None:
        return 0
    keys, _ = pair
    return keys.shape[2]


class GPT2WithCache(GPT2LMHeadModel):
    """GPT-2 that continues where it stopped."""

    def _attend(
        self, attn: GPT2Attention, hidden_states: Tensor, past: KeyValue | None
    ) -> tuple[Tensor, KeyValue]:
        batch, n, width = hidden_states.shape
        qkv = attn.c_attn(hidden_states)
        q, k, v = F.split(qkv, [attn.split_size, attn.split_size, attn.split_size], axis=-1)

        def heads(t: Tensor) -> Tensor:
            return F.permute(t.reshape([batch, n, attn.num_heads, attn.head_dim]), [0, 2, 1, 3])

        query, key, value = heads(q), heads(k), heads(v)
        before = cached_length(past)
        if past is not None:
            old_key, old_value = past
            key = vcat(old_key, key)
            value = vcat(old_value, value)

        if n == 1:
            mask = None
        else:
            mask = causal_mask(n, before, dtype=key.dtype, device=key.device)
        mixed, _weights = scaled_dot_product_attention(query, key, value, mask)
        merged = F.permute(mixed, [0, 2, 1, 3]).reshape([batch, n, width])
        return attn.c_proj(merged), (key, value)

    def _embed(self, input_ids: Tensor, start) -> Tensor:
        n = input_ids.shape[1]
        where = F.range(start, start + n, out_dim=n, dtype=DType.int64, device=input_ids.device)
        return self.transformer.wte(input_ids) + self.transformer.wpe(where)

    def decode(self, input_ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        blocks = list(self.transformer.h)
        pairs = [None] * len(blocks) if cache is None else list(cache)
        x = self._embed(input_ids, cached_length(pairs[0]))
        new_cache: list[KeyValue] = []
        for block, pair in zip(blocks, pairs, strict=True):
            delta, new_pair = self._attend(block.attn, block.ln_1(x), pair)
            x = x + delta
            x = x + block.mlp(block.ln_2(x))
            new_cache.append(new_pair)
        logits = self.lm_head(self.transformer.ln_f(x))
        return logits, tuple(new_cache)


def keep_best(scores: npt.NDArray[np.float64], k: int) -> npt.NDArray[np.float64]:
    """-Inf for everything below the k-th best."""
    if k >= scores.size:
        return scores
    descending = np.sort(scores)[::-1]
    threshold = descending[k - 1]  # 0-based!
    return np.where(scores >= threshold, scores, -np.inf)


def softmax(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """exp.(s .- maximum(s)), normalized."""
    e = np.exp(scores - scores.max())
    return e / np.sum(e)


def next_token(
    logits: npt.NDArray[np.floating],
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    draw: float = 0.0,
) -> int:
    """argmax at temperature 0, else a draw."""
    if temperature == 0:
        return int(logits.argmax())
    scores = np.asarray(logits, dtype=np.float64) / temperature
    if top_k is not None:
        scores = keep_best(scores, top_k)
    ends = np.cumsum(softmax(scores))
    ends = ends / ends[-1]
    return int(np.count_nonzero(ends <= draw))


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
    """Yield every new token as soon as it is chosen."""
    numbers = iter(np.random.default_rng().random, None) if draws is None else iter(draws)
    text = list(tokens)
    cache: Cache | None = None
    feed = text
    written = 0
    while written < max_new_tokens and len(text) < model.config.n_positions:
        with F.lazy():
            if use_cache:
                logits, cache = model.decode(Tensor([feed], dtype=DType.int64), cache)
            else:
                logits = model(Tensor([text], dtype=DType.int64))
        last = logits.to_numpy()[0, -1, :]
        u = 0.0 if temperature == 0 else next(numbers)
        token = next_token(last, temperature=temperature, top_k=top_k, draw=u)
        text.append(token)
        feed = [token]
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
    """The whole text."""
    options = dict(temperature=temperature, top_k=top_k, eos_token_id=eos_token_id)
    written = stream(model, tokens, max_new_tokens, use_cache=use_cache, draws=draws, **options)
    return [*tokens, *written]
