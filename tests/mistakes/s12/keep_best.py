from __future__ import annotations

import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention
from solutions.solution_11 import GPT2LMHeadModel


class GPT2WithCache(GPT2LMHeadModel):
    def _attend(self, attn, hidden_states, past):
        parts = F.split(attn.c_attn(hidden_states), [attn.split_size] * 3, axis=-1)
        q, k, v = (attn._split_heads(p, attn.num_heads, attn.head_dim) for p in parts)
        seen = 0
        if past is not None:
            seen = past[0].shape[-2]
            k, v = (F.concat([old, new], axis=-2) for old, new in zip(past, (k, v)))
        new = q.shape[-2]
        hidden = causal_mask(new, seen, dtype=q.dtype, device=q.device) if new != 1 else None
        mixed = scaled_dot_product_attention(q, k, v, hidden)[0]
        merged = attn._merge_heads(mixed, attn.num_heads, attn.head_dim)
        return attn.c_proj(merged), (k, v)

    def _where(self, input_ids, cache):
        before = 0
        if cache is not None:
            before = int(cache[0][0].shape[-2])
        count = int(input_ids.shape[-1])
        return Tensor([before + i for i in range(count)], dtype=DType.int64)

    def decode(self, input_ids, cache=None):
        gpt = self.transformer
        x = gpt.wte(input_ids) + gpt.wpe(self._where(input_ids, cache))
        fresh = []
        for number, block in enumerate(gpt.h):
            past = cache[number] if cache is not None else None
            extra, pair = self._attend(block.attn, block.ln_1(x), past)
            fresh.append(pair)
            x += extra
            x += block.mlp(block.ln_2(x))
        return self.lm_head(gpt.ln_f(x)), tuple(fresh)


def keep_best(scores, how_many):
    if how_many is None or how_many >= len(scores):
        return scores
    edge = sorted(scores, reverse=True)[how_many - 1]
    return np.array([s if s >= edge else -np.inf for s in scores])


def next_token(logits, *, temperature=0.0, top_k=None, draw=0.0):
    if temperature == 0.0:
        return int(np.argmax(logits))
    scores = keep_best(logits.astype("float64") / temperature, top_k)
    weights = np.exp(scores - scores.max())
    ladder = np.cumsum(weights)
    ladder /= ladder[-1]
    return int((ladder <= draw).sum())


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
    if draws is None:
        rng = np.random.default_rng()
        draws = iter(rng.random, None)
    draws = iter(draws)
    written = list(tokens)
    room = model.config.n_positions - len(written)
    cache, feed = None, written
    for _ in range(min(room, max_new_tokens)):
        batch = Tensor([feed if use_cache else written], dtype=DType.int64)
        with F.lazy():
            if use_cache:
                logits, cache = model.decode(batch, cache)
            else:
                logits = model(batch)
        scores = logits.to_numpy()[0][-1]
        lucky = 0.0 if temperature == 0.0 else next(draws)
        token = next_token(scores, temperature=temperature, top_k=top_k, draw=lucky)
        yield token
        if token == eos_token_id:
            return
        written.append(token)
        feed = [token]


def generate(model, tokens, max_new_tokens, **how):
    return list(tokens) + list(stream(model, tokens, max_new_tokens, **how))
