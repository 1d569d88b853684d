from math import sqrt

import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    s, t = int(sequence_length), int(num_tokens)
    i = np.arange(s)[:, None] + t
    j = np.arange(s + t)[None, :]
    m = np.where(j > i, -np.inf, 0.0)
    return Tensor(m.astype(np.float32), device=device).cast(dtype)


class GPT2MultiHeadAttention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = Linear(config.n_embd, config.n_embd)

    def _split_heads(self, x, n, d):
        b, t, _ = x.shape
        x = x.reshape([b, t, n, d])
        return x.transpose(1, 2)

    def _merge_heads(self, x, n, d):
        b, _, t, _ = x.shape
        x = x.transpose(1, 2)
        return x.reshape([b, t, n * d])

    def _attn(self, q, k, v):
        q = q * (1 / sqrt(self.head_dim))
        a = q @ k.transpose(2, 3)
        t = a.shape[-1]
        m = causal_mask(t, 0, dtype=q.dtype, device=q.device)
        a = F.softmax(a + m)
        return a @ v

    def __call__(self, x):
        n, d, c = self.num_heads, self.head_dim, self.embed_dim
        y = self.c_attn(x)
        q = self._split_heads(y[..., :c], n, d)
        k = self._split_heads(y[..., c : 2 * c], n, d)
        v = self._split_heads(y[..., 2 * c :], n, d)
        o = self._attn(q, k, v)
        o = self._merge_heads(o, n, d)
        return self.c_proj(o)
