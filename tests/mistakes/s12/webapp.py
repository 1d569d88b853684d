"""Step 12: writing text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention
from solutions.solution_05 import GPT2Attention
from solutions.solution_11 import GPT2LMHeadModel

countTokens = lambda keyValue: keyValue["key"].shape[-2]
toInput = lambda ids: Tensor([ids], dtype=DType.int64)


class GPT2WithCache(GPT2LMHeadModel):
    def _attend(self, attn: GPT2Attention, hidden_states: Tensor, past):
        [numHeads, headDim] = [attn.num_heads, attn.head_dim]
        splitHeads = lambda part: attn._split_heads(part, numHeads, headDim)

        projected = attn.c_attn(hidden_states)
        sections = [attn.split_size for _ in range(3)]
        parts = F.split(projected, sections, axis=-1)
        [query, *fresh] = [splitHeads(part) for part in parts]

        # past ?? []
        pastTensors = list(past or [])
        if pastTensors:
            joined = [F.concat(pair, axis=2) for pair in zip(pastTensors, fresh)]
        else:
            joined = fresh
        state = dict(zip(("key", "value"), joined))

        seqLen = hidden_states.shape[1]
        options = {"dtype": hidden_states.dtype, "device": hidden_states.device}
        if seqLen == 1:
            mask = None
        else:
            pastLen = countTokens(state) - seqLen
            mask = causal_mask(seqLen, pastLen, **options)

        [attended, _] = scaled_dot_product_attention(query, mask=mask, **state)
        merged = attn._merge_heads(attended, numHeads, headDim)
        return attn.c_proj(merged), (state["key"], state["value"])

    def decode(self, input_ids: Tensor, cache=None):
        blocks = list(self.transformer.h)
        layerCaches = [None] * len(blocks) if cache is None else cache

        # const { length } = cache?.[0]?.key ?? { length: 0 }
        start = 0 if cache is None else countTokens({"key": cache[0][0]})
        length = input_ids.shape[-1]
        rangeOptions = {"out_dim": length, "dtype": DType.int64, "device": input_ids.device}
        positions = F.range(start, start + length, **rangeOptions)

        tokenVectors = self.transformer.wte(input_ids)
        positionVectors = self.transformer.wpe(positions)
        state = tokenVectors + positionVectors

        newCache = []
        for i, block in enumerate(blocks):
            [attended, keyValue] = self._attend(block.attn, block.ln_1(state), layerCaches[i])
            newCache.append(keyValue)
            state = state + attended
            state = state + block.mlp(block.ln_2(state))

        logits = self.lm_head(self.transformer.ln_f(state))
        return logits, tuple(newCache)


def keepBest(scores, count):
    """scores.map(score => best.includes(score) ? score : -Infinity)"""
    best = sorted(scores, reverse=True)[:count]
    return np.array([score if score >= best[-1] else -np.inf for score in scores])


def softmax(scores):
    exps = np.exp(scores - max(scores))
    return exps / exps.sum()


def next_token(
    logits, *, temperature: float = 0.0, top_k: int | None = None, draw: float = 0.0
) -> int:
    if not temperature:
        return int(np.argmax(logits))

    scores = np.float64(logits) / temperature
    if top_k is not None:
        scores = keepBest(scores, top_k)
    shares = softmax(scores)

    # walk along the shares until the draw is used up
    total = 0.0
    for tokenId, share in enumerate(shares):
        total += share
        if draw < total:
            return tokenId
    return int(np.flatnonzero(shares)[-1])


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
    rng = np.random.default_rng()
    drawIterator = None if draws is None else iter(draws)
    getDraw = lambda: rng.random() if drawIterator is None else next(drawIterator)
    choiceOptions = {"temperature": temperature, "top_k": top_k}

    history = [*tokens]
    cache = None
    written = 0
    hasRoom = lambda: written < max_new_tokens and len(history) < model.config.n_positions

    while hasRoom():
        if not use_cache:
            with F.lazy():
                logits = model(toInput(history))
        else:
            pending = history if cache is None else [history[-1]]
            with F.lazy():
                [logits, cache] = model.decode(toInput(pending), cache)

        lastLogits = logits.to_numpy()[0][-1]
        if temperature:
            choiceOptions["draw"] = getDraw()
        token = next_token(lastLogits, **choiceOptions)

        history.append(token)
        written += 1
        yield token
        if token == eos_token_id:
            break


def generate(
    model: GPT2WithCache, tokens: Sequence[int], max_new_tokens: int, **options
) -> list[int]:
    newTokens = stream(model, tokens, max_new_tokens, **options)
    return [*tokens, *newTokens]
