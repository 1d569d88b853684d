"""Step 12: writing text."""

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
"""Keys and values of one block, each ``[batch, n_head, total, head_dim]``."""

Cache = tuple[KeyValue, ...]
"""Keys and values of all blocks, in order."""


class GPT2WithCache(GPT2LMHeadModel):
    """The GPT-2 of step 11, which can also continue where it stopped."""

    def _attend(
        self, attn: GPT2Attention, hidden_states: Tensor, past: KeyValue | None
    ) -> tuple[Tensor, KeyValue]:
        """What ``attn`` does, for new tokens that also see the cached ones."""
        heads = hidden_states.shape[:-1] + [attn.num_heads, attn.head_dim]
        width = attn.split_size
        q, k, v = F.split(attn.c_attn(hidden_states), [width, width, width], axis=-1)
        query = q.reshape(heads).transpose(-3, -2)
        key = k.reshape(heads).transpose(-3, -2)
        value = v.reshape(heads).transpose(-3, -2)

        history = 0
        if past is not None:
            past_key, past_value = past
            history = past_key.shape[-2]
            key = F.concat([past_key, key], axis=-2)
            value = F.concat([past_value, value], axis=-2)

        horizon = hidden_states.shape[-2]
        mask = None
        if horizon != 1:
            mask = causal_mask(horizon, history, dtype=query.dtype, device=query.device)

        mixed, _ = scaled_dot_product_attention(query, key, value, mask)
        merged = mixed.transpose(-3, -2).reshape(hidden_states.shape)
        output = attn.c_proj(merged)
        return output, (key, value)

    def decode(self, input_ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        """Read new tokens that follow those in the cache."""
        transformer = self.transformer
        start = 0
        if cache is not None:
            start = cache[0][0].shape[-2]
        n_new = input_ids.shape[-1]
        dates = F.range(
            start, start + n_new, out_dim=n_new, dtype=DType.int64, device=input_ids.device
        )
        hidden_states = transformer.wte(input_ids) + transformer.wpe(dates)

        grown = []
        pasts = cache if cache is not None else [None] * len(transformer.h)
        for block, past in zip(transformer.h, pasts):
            delta, key_value = self._attend(block.attn, block.ln_1(hidden_states), past)
            grown.append(key_value)
            hidden_states = hidden_states + delta
            hidden_states = hidden_states + block.mlp(block.ln_2(hidden_states))

        logits = self.lm_head(transformer.ln_f(hidden_states))
        return logits, tuple(grown)


def next_token(
    logits: npt.NDArray[np.floating],
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    draw: float = 0.0,
) -> int:
    """Choose the next token."""
    if temperature == 0.0:
        return int(logits.argmax())

    scores = logits.astype(np.float64) / temperature

    if top_k is not None:
        n_keep = min(top_k, scores.size)
        cutoff = np.partition(scores, -n_keep)[-n_keep]
        scores = np.where(scores >= cutoff, scores, -np.inf)

    # log-sum-exp trick, as in the option pricer
    shifted = np.exp(scores - scores.max())
    pdf = shifted / shifted.sum()

    cdf = np.cumsum(pdf)
    cdf /= cdf[-1]
    return int(np.searchsorted(cdf, draw, side="right"))


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
    """Continue ``tokens``, and yield every new token as soon as it is chosen."""
    numbers = iter(np.random.default_rng().random, None) if draws is None else iter(draws)
    text = list(tokens)
    cache: Cache | None = None
    n_written = 0
    while n_written < max_new_tokens and len(text) < model.config.n_positions:
        if use_cache and cache is not None:
            new = text[-1:]
        else:
            new = text
        ids = Tensor([new], dtype=DType.int64)
        with F.lazy():
            if use_cache:
                logits, cache = model.decode(ids, cache)
            else:
                logits = model(ids)

        uniform = 0.0 if temperature == 0.0 else next(numbers)
        last = logits.to_numpy()[0, -1]
        token = next_token(last, temperature=temperature, top_k=top_k, draw=uniform)

        text.append(token)
        n_written += 1
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
