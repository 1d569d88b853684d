import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention
from solutions.solution_11 import GPT2LMHeadModel


class GPT2WithCache(GPT2LMHeadModel):
    def _attend(self, a, x, p):
        b, t, c = x.shape
        y = a.c_attn(x)
        s = [b, t, a.num_heads, a.head_dim]
        q, k, v = F.chunk(y, 3, axis=-1)
        q = q.reshape(s).transpose(1, 2)
        k = k.reshape(s).transpose(1, 2)
        v = v.reshape(s).transpose(1, 2)
        n = 0
        if p is not None:
            n = p[0].shape[2]
            k = F.concat([p[0], k], axis=2)
            v = F.concat([p[1], v], axis=2)
        m = causal_mask(t, n, dtype=x.dtype, device=x.device)
        o = scaled_dot_product_attention(q, k, v, m)[0]
        o = o.transpose(1, 2)
        o = o.reshape([b, t, c])
        return a.c_proj(o), (k, v)

    def decode(self, input_ids, cache=None):
        g = self.transformer
        t = int(input_ids.shape[1])
        n = 0
        if cache is not None:
            n = int(cache[0][0].shape[2])
        p = F.range(n, n + t, dtype=DType.int64, device=input_ids.device)
        x = g.wte(input_ids)
        x = x + g.wpe(p)
        r = []
        for i, f in enumerate(g.h):
            e = cache[i] if cache is not None else None
            z, w = self._attend(f.attn, f.ln_1(x), e)
            x = x + z
            x = x + f.mlp(f.ln_2(x))
            r.append(w)
        x = g.ln_f(x)
        return self.lm_head(x), tuple(r)


def next_token(logits, *, temperature=0.0, top_k=None, draw=0.0):
    if temperature == 0:
        return int(np.argmax(logits))
    s = np.array(logits, dtype=np.float64)
    s = s / temperature
    if top_k is not None:
        k = min(top_k, len(s))
        u = np.sort(s)[::-1]
        s[s < u[k - 1]] = -np.inf
    e = np.exp(s - s.max())
    p = e / e.sum()
    c = np.cumsum(p)
    i = int(np.sum(c <= draw))
    return min(i, len(s) - 1)


def stream(model, tokens, max_new_tokens, *, temperature=0.0, top_k=None, eos_token_id=None,
           use_cache=True, draws=None):
    w = list(tokens)
    d = iter(draws) if draws is not None else None
    r = np.random.default_rng()
    c = None
    f = w
    for _ in range(max_new_tokens):
        if len(w) == model.config.n_positions:
            return
        x = Tensor([f], dtype=DType.int64)
        if use_cache:
            y, c = model.decode(x, c)
        else:
            y = model(x)
        z = y.to_numpy()[0, -1]
        u = 0.0
        if temperature > 0:
            u = next(d) if d is not None else r.random()
        i = next_token(z, temperature=temperature, top_k=top_k, draw=u)
        w.append(i)
        yield i
        if i == eos_token_id:
            return
        f = [i] if use_cache else w


def generate(model, tokens, max_new_tokens, **how):
    return list(tokens) + list(stream(model, tokens, max_new_tokens, **how))
