"""Writing with a small class that keeps text and cache."""

import random

import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention
from solutions.solution_11 import GPT2LMHeadModel


class GPT2WithCache(GPT2LMHeadModel):
    def _attend(self, attn, hidden_states, past):
        together = attn.c_attn(hidden_states)
        n = attn.embed_dim
        parts = [together[..., :n], together[..., n : 2 * n], together[..., 2 * n :]]
        batch, seq, _ = hidden_states.shape
        shape = [batch, seq, attn.num_heads, attn.head_dim]
        q, k, v = [part.reshape(shape).transpose(1, 2) for part in parts]
        before = 0
        if past is not None:
            before = past[0].shape[2]
            k = F.concat([past[0], k], axis=2)
            v = F.concat([past[1], v], axis=2)
        mask = None
        if seq != 1:
            mask = causal_mask(seq, before, dtype=q.dtype, device=q.device)
        out, _ = scaled_dot_product_attention(q, k, v, mask)
        merged = out.transpose(1, 2).reshape([batch, seq, n])
        return attn.c_proj(merged), (k, v)

    def decode(self, input_ids, cache=None):
        inner = self.transformer
        pairs = cache if cache is not None else [None for _ in inner.h]
        first = 0 if cache is None else cache[0][0].shape[2]
        length = input_ids.shape[1]
        places = F.range(
            first, first + length, out_dim=length, dtype=DType.int64, device=input_ids.device
        )
        x = inner.wte(input_ids) + inner.wpe(places)
        new_pairs = ()
        for block, pair in zip(inner.h, pairs):
            change, grown = self._attend(block.attn, block.ln_1(x), pair)
            x = x + change
            x = x + block.mlp(block.ln_2(x))
            new_pairs += (grown,)
        return self.lm_head(inner.ln_f(x)), new_pairs


def best(scores, count):
    """The ids of the best ``count`` scores, and of those that are equal to the last of them."""
    order = np.argsort(-scores, kind="stable")
    last = scores[order[min(count, len(order)) - 1]]
    return [int(token) for token in range(len(scores)) if scores[token] >= last]


def next_token(logits, *, temperature=0.0, top_k=None, draw=0.0):
    scores = np.array(logits, dtype=np.float64)
    if temperature == 0:
        return int(np.argmax(scores))
    scores /= temperature
    allowed = range(len(scores)) if top_k is None else best(scores, top_k)
    shares = {token: np.exp(scores[token] - scores.max()) for token in allowed}
    left = draw * sum(shares.values())
    for token in sorted(shares):
        left -= shares[token]
        if left < 0:
            return token
    return token


class Writer:
    def __init__(self, model, tokens, use_cache):
        self.model = model
        self.text = list(tokens)
        self.use_cache = use_cache
        self.cache = None

    @property
    def full(self):
        return len(self.text) >= self.model.config.n_positions

    def scores(self):
        fed = self.text if self.cache is None else self.text[-1:]
        ids = Tensor([fed], dtype=DType.int64)
        with F.lazy():
            if self.use_cache:
                logits, self.cache = self.model.decode(ids, self.cache)
            else:
                logits = self.model(ids)
        return logits.to_numpy()[0][-1]


def stream(model, tokens, max_new_tokens, *, temperature=0.0, top_k=None, eos_token_id=None,
           use_cache=True, draws=None):
    writer = Writer(model, tokens, use_cache)
    numbers = iter(draws) if draws is not None else iter(random.random, None)
    while max_new_tokens > 0 and not writer.full:
        draw = next(numbers) if temperature != 0 else 0.0
        token = next_token(writer.scores(), temperature=temperature, top_k=top_k, draw=draw)
        writer.text.append(token)
        max_new_tokens -= 1
        yield token
        if token == eos_token_id:
            return


def generate(model, tokens, max_new_tokens, **options):
    return [*tokens, *stream(model, tokens, max_new_tokens, **options)]
