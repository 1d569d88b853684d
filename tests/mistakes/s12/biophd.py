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


def to_heads(track: Tensor, shape: list) -> Tensor:
    """[batch, seq, n_embd] -> [batch, n_head, seq, head_dim]"""
    return track.reshape(shape).permute([0, 2, 1, 3])


def to_tokens(track: Tensor, shape: list) -> Tensor:
    """[batch, n_head, seq, head_dim] -> [batch, seq, n_embd]"""
    return track.permute([0, 2, 1, 3]).reshape(shape)


class GPT2WithCache(GPT2LMHeadModel):
    """The GPT-2 of step 11, which can also continue where it stopped."""

    def _attend(
        self, attn: GPT2Attention, hidden_states: Tensor, past: KeyValue | None
    ) -> tuple[Tensor, KeyValue]:
        """What ``attn`` does, for new tokens that also see the cached ones."""
        heads = hidden_states.shape[:-1] + [attn.num_heads, attn.head_dim]
        qkv = F.split(attn.c_attn(hidden_states), [attn.split_size] * 3, axis=2)
        query, key, value = [to_heads(part, heads) for part in qkv]

        n_new = query.shape[2]
        if past is None:
            n_old = 0
        else:
            n_old = past[0].shape[2]
            key, value = (
                F.concat([old, new], axis=2) for old, new in zip(past, (key, value))
            )

        if n_new == 1:
            mask = None
        else:
            mask = causal_mask(n_new, n_old, dtype=key.dtype, device=key.device)

        output = scaled_dot_product_attention(query, key, value, mask)[0]
        output = attn.c_proj(to_tokens(output, hidden_states.shape))
        return output, (key, value)

    def decode(self, input_ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        """Read new tokens that follow those in the cache."""
        transformer = self.transformer
        n_old = cache[0][0].shape[2] if cache else 0
        n_new = input_ids.shape[1]
        sites = F.range(n_old, n_old + n_new, 1, n_new, dtype=DType.int64, device=input_ids.device)
        x = transformer.wte(input_ids)
        x = x + transformer.wpe(sites)

        grown = []
        for i, layer in enumerate(transformer.h):
            past = cache[i] if cache else None
            normed = layer.ln_1(x)
            read, pair = self._attend(layer.attn, normed, past)
            x = x + read
            normed = layer.ln_2(x)
            x = x + layer.mlp(normed)
            grown += [pair]

        x = transformer.ln_f(x)
        return self.lm_head(x), tuple(grown)


def next_token(
    logits: npt.NDArray[np.floating],
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    draw: float = 0.0,
) -> int:
    """Choose the next token."""
    if not temperature:
        return int(np.argmax(logits))

    scores = np.array(logits, dtype=np.float64)
    scores = scores / temperature

    if top_k and top_k < len(scores):
        ranked = np.sort(scores)[::-1]
        scores[scores < ranked[top_k - 1]] = float("-inf")

    scores -= scores.max()
    probabilities = np.exp(scores)
    probabilities /= probabilities.sum()

    # inverse transform sampling, like drawing a read from a coverage track
    total = 0.0
    chosen = 0
    for token, p in enumerate(probabilities):
        if p == 0:
            continue
        total += p
        chosen = token
        if draw < total:
            break
    return chosen


def _logits(model, ids, cache, use_cache):
    """One call of the model, as one graph."""
    with F.lazy():
        if not use_cache:
            return model(ids), None
        return model.decode(ids, cache)


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
    feed = list(text)
    for step in range(max_new_tokens):
        if len(text) >= model.config.n_positions:
            break
        ids = Tensor([feed], dtype=DType.int64)
        logits, cache = _logits(model, ids, cache, use_cache)
        scores = logits.to_numpy()[0][-1]

        if temperature > 0:
            token = next_token(scores, temperature=temperature, top_k=top_k, draw=next(numbers))
        else:
            token = next_token(scores)

        text.append(token)
        yield token
        if eos_token_id is not None and token == eos_token_id:
            break
        feed = [token] if use_cache else text


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
