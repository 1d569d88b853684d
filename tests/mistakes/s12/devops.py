"""Writing text with a cache, small pieces first."""

from __future__ import annotations

import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention
from solutions.solution_11 import GPT2LMHeadModel


def greedy(temperature):
    return temperature == 0


def past_length(pair):
    if pair is None:
        return 0
    return pair[0].shape[-2]


def append(pair, fresh):
    if pair is None:
        return fresh
    return tuple(F.concat([old, new], axis=-2) for old, new in zip(pair, fresh))


def mask_for(query, pair):
    count = query.shape[-2]
    if count == 1:
        return None
    opts = {"dtype": query.dtype, "device": query.device}
    return causal_mask(count, past_length(pair), **opts)


# --- choosing -------------------------------------------------------------


def keep_best(scores, top_k):
    if top_k is None or top_k >= scores.size:
        return scores
    bar = np.sort(scores)[::-1][top_k - 1]
    return np.where(scores < bar, -np.inf, scores)


def softmax(scores):
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


def spin(wheel, draw):
    ends = wheel.cumsum()
    ends /= ends[-1]
    return int((ends <= draw).sum())


def next_token(logits, *, temperature=0.0, top_k=None, draw=0.0):
    if greedy(temperature):
        return int(logits.argmax())
    scores = keep_best(logits.astype(np.float64) / temperature, top_k)
    return spin(softmax(scores), draw)


# --- the model ------------------------------------------------------------


class GPT2WithCache(GPT2LMHeadModel):
    def _attend(self, attn, hidden_states, past):
        batch, seq, width = hidden_states.shape

        def split_heads(part):
            return part.reshape([batch, seq, attn.num_heads, attn.head_dim]).permute([0, 2, 1, 3])

        query, *fresh = map(split_heads, F.chunk(attn.c_attn(hidden_states), 3, axis=-1))
        pair = append(past, tuple(fresh))
        mixed, _ = scaled_dot_product_attention(query, *pair, mask_for(query, past))
        merged = mixed.permute([0, 2, 1, 3]).reshape([batch, seq, width])
        return attn.c_proj(merged), pair

    def _embed(self, ids, start):
        count = ids.shape[-1]
        opts = {"out_dim": count, "dtype": DType.int64, "device": ids.device}
        places = F.range(start, start + count, **opts)
        return self.transformer.wte(ids) + self.transformer.wpe(places)

    def decode(self, input_ids, cache=None):
        body = self.transformer
        pasts = [None] * len(body.h) if cache is None else cache
        x = self._embed(input_ids, past_length(pasts[0]))

        grown = []
        for block, past in zip(body.h, pasts, strict=True):
            change, pair = self._attend(block.attn, block.ln_1(x), past)
            x = x + change
            x = x + block.mlp(block.ln_2(x))
            grown.append(pair)

        return self.lm_head(body.ln_f(x)), tuple(grown)


# --- the loop -------------------------------------------------------------


def stream(
    model,
    tokens,
    max_new_tokens,
    *,
    temperature=0.0,
    top_k=None,
    eos_token_id=None,
    use_cache=True,
    draws=None,
):
    numbers = iter(np.random.default_rng().random, None) if draws is None else iter(draws)
    text = list(tokens)
    cache = None
    limit = min(model.config.n_positions, len(text) + max_new_tokens)
    feed = text
    while len(text) < limit:
        batch = Tensor([feed], dtype=DType.int64)
        with F.lazy():
            if use_cache:
                logits, cache = model.decode(batch, cache)
            else:
                logits = model(batch)
        options = {"temperature": temperature, "top_k": top_k}
        if not greedy(temperature):
            options["draw"] = next(numbers)
        chosen = next_token(logits.to_numpy()[0, -1], **options)
        text.append(chosen)
        yield chosen
        if chosen == eos_token_id:
            return
        feed = [chosen] if use_cache else text


def generate(model, tokens, max_new_tokens, **options):
    return list(tokens) + list(stream(model, tokens, max_new_tokens, **options))
