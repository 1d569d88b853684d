"""Step 12: writing text, step by step, so that everybody can follow."""

from __future__ import annotations

import math
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
    """The model of step 11 with a memory."""

    def _attend(
        self, attn: GPT2Attention, hidden_states: Tensor, past: KeyValue | None
    ) -> tuple[Tensor, KeyValue]:
        # First we make query, key and value.
        projected = attn.c_attn(hidden_states)
        thirds = F.split(projected, [attn.split_size] * 3, axis=-1)
        split = []
        for third in thirds:
            split.append(attn._split_heads(third, attn.num_heads, attn.head_dim))
        query = split[0]
        key = split[1]
        value = split[2]

        # Then we put the remembered ones in front.
        how_many_old = 0
        if past is not None:
            old_key, old_value = past
            how_many_old = old_key.shape[-2]
            key = F.concat([old_key, key], axis=-2)
            value = F.concat([old_value, value], axis=-2)

        # Several new tokens must not see each other's future.
        how_many_new = hidden_states.shape[-2]
        if how_many_new == 1:
            mask = None
        else:
            mask = causal_mask(
                how_many_new, how_many_old, dtype=query.dtype, device=query.device
            )

        # Now they look at each other.
        mixed, _weights = scaled_dot_product_attention(query, key, value, mask)
        merged = attn._merge_heads(mixed, attn.num_heads, attn.head_dim)
        answer = attn.c_proj(merged)
        return answer, (key, value)

    def decode(self, input_ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        body = self.transformer

        # Where does the new piece begin?
        if cache is None:
            begin = 0
        else:
            first_block_keys, _ = cache[0]
            begin = first_block_keys.shape[-2]
        length = input_ids.shape[1]
        positions = F.range(
            begin, begin + length, out_dim=length, dtype=DType.int64, device=input_ids.device
        )

        # What is it, and where is it?
        x = body.wte(input_ids)
        x = x + body.wpe(positions)

        # Every block has a memory of its own.
        new_cache = []
        number = 0
        for block in body.h:
            memory = None
            if cache is not None:
                memory = cache[number]
            found, memory = self._attend(block.attn, block.ln_1(x), memory)
            x = x + found
            thought = block.mlp(block.ln_2(x))
            x = x + thought
            new_cache.append(memory)
            number = number + 1

        # At the end: scores for all words.
        x = body.ln_f(x)
        logits = self.lm_head(x)
        return logits, tuple(new_cache)


def next_token(
    logits: npt.NDArray[np.floating],
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    draw: float = 0.0,
) -> int:
    # Without temperature we simply look for the best one.
    if temperature == 0.0:
        best = 0
        for i in range(len(logits)):
            if logits[i] > logits[best]:
                best = i
        return best

    # Divide every score by the temperature.
    scores = []
    for logit in logits:
        scores.append(float(logit) / temperature)

    # Keep only the best few.
    if top_k is not None and top_k < len(scores):
        ranking = sorted(scores, reverse=True)
        last_place = ranking[top_k - 1]
        for i in range(len(scores)):
            if scores[i] < last_place:
                scores[i] = -math.inf

    # Make shares of them.
    highest = max(scores)
    shares = []
    for score in scores:
        shares.append(math.exp(score - highest))
    total = sum(shares)

    # Walk along the shares until the draw falls into one.
    end = 0.0
    chosen = 0
    for i in range(len(shares)):
        if shares[i] == 0.0:
            continue
        end = end + shares[i] / total
        chosen = i
        if draw < end:
            break
    return chosen


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
    while written < max_new_tokens:
        # There are no more position vectors.
        if len(text) >= model.config.n_positions:
            break

        # What does the model not know yet?
        if use_cache and written > 0:
            unread = [text[-1]]
        else:
            unread = text
        ids = Tensor([unread], dtype=DType.int64)

        # Ask it.
        with F.lazy():
            if use_cache:
                logits, cache = model.decode(ids, cache)
            else:
                logits = model(ids)
        all_scores = logits.to_numpy()
        last_scores = all_scores[0, -1]

        # Choose.
        draw = 0.0
        if temperature > 0:
            draw = next(numbers)
        token = next_token(last_scores, temperature=temperature, top_k=top_k, draw=draw)

        # Write it down and show it.
        text.append(token)
        written = written + 1
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
    whole = list(tokens)
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
        whole.append(token)
    return whole
