# gpt2 decode, short
import itertools as it

import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention as sdpa
from solutions.solution_05 import GPT2Attention
from solutions.solution_11 import GPT2LMHeadModel

I = DType.int64


class GPT2WithCache(GPT2LMHeadModel):
    def _attend(self, a: GPT2Attention, x, p):
        b, s, e = x.shape
        z = a.c_attn(x).reshape([b, s, 3, a.num_heads, a.head_dim])
        q, k, v = (z[:, :, i].transpose(1, 2) for i in range(3))  # [b, h, s, d]
        m = None
        n = 0
        if p is not None:
            n = p[0].shape[2]
            k, v = (F.concat([o, w], axis=2) for o, w in zip(p, (k, v)))
        if s != 1:
            m = causal_mask(s, n, dtype=q.dtype, device=q.device)
        o = sdpa(q, k, v, m)[0]
        o = o.transpose(1, 2).reshape([b, s, e])
        return a.c_proj(o), (k, v)

    def decode(self, x, cache=None):
        t, s = self.transformer, x.shape[1]
        c = cache or [None] * len(t.h)
        n = c[0][0].shape[2] if cache else 0
        r = F.range(n, n + s, out_dim=s, dtype=I, device=x.device)
        y = t.wte(x) + t.wpe(r)
        g = []
        for l, p in zip(t.h, c):
            d, kv = self._attend(l.attn, l.ln_1(y), p)
            y = y + d
            y = y + l.mlp(l.ln_2(y))
            g += [kv]
        return self.lm_head(t.ln_f(y)), tuple(g)


def next_token(logits, *, temperature=0.0, top_k=None, draw=0.0):
    if not temperature:
        return int(logits.argmax())
    z = logits.astype(np.float64) / temperature
    if top_k is not None:
        k = min(top_k, z.size)
        z = np.where(z < np.partition(z, -k)[-k], -np.inf, z)
    w = np.exp(z - z.max())
    c = (w / w.sum()).cumsum()
    return int((c / c[-1] <= draw).sum())


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
    u = iter(np.random.default_rng().random, None) if draws is None else iter(draws)
    a = [*tokens]
    f, c = a, None  # what to feed, cache
    n = min(len(a) + max_new_tokens, model.config.n_positions)
    while len(a) < n:
        x = Tensor([f], dtype=I)
        with F.lazy():
            y, c = model.decode(x, c) if use_cache else (model(x), None)
        z = y.to_numpy()[0, -1]
        d = next(u) if temperature else 0.0
        t = next_token(z, temperature=temperature, top_k=top_k, draw=d)
        a.append(t)
        f = [t] if use_cache else a
        yield t
        if t == eos_token_id:
            break


def generate(model, tokens, max_new_tokens, **kw):
    return list(it.chain(tokens, stream(model, tokens, max_new_tokens, **kw)))
