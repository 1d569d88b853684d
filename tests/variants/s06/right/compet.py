from __future__ import annotations

import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention as att


class RotaryEmbedding(Module):
    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        n, m = max_seq_len, d_k // 2
        w = [theta ** (-2 * i / d_k) for i in range(m)]
        a = np.array([[p * w[i] for i in range(m)] for p in range(n)])
        self.c = np.cos(a).astype(np.float32)
        self.s = np.sin(a).astype(np.float32)

    def forward(self, x: Tensor, p: Tensor) -> Tensor:
        c = F.gather(Tensor(self.c, dtype=x.dtype, device=x.device), p, axis=0)
        s = F.gather(Tensor(self.s, dtype=x.dtype, device=x.device), p, axis=0)
        k = x.shape[-1] // 2
        y = x.reshape(x.shape[:-1] + [k, 2])
        a, b = y[..., 0], y[..., 1]
        u = a * c - b * s
        v = b * c + a * s
        z = F.concat([u.unsqueeze(-1), v.unsqueeze(-1)], axis=-1)
        return z.reshape(x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_model = d_model
        self.num_heads = self.h = num_heads
        self.d = d_model // num_heads
        self.rope = RotaryEmbedding(self.d, max_seq_len, theta)

    def forward(self, wq, wk, wv, wo, x, p):
        # one head after the other: no split, no merge
        n = x.shape[-2]
        m = causal_mask(n, 0, dtype=x.dtype, device=x.device)
        q, k, v = x @ wq.T, x @ wk.T, x @ wv.T
        r = []
        for i in range(self.h):
            l = i * self.d
            e = l + self.d
            a = self.rope(q[..., l:e], p)
            b = self.rope(k[..., l:e], p)
            o, _ = att(a, b, v[..., l:e], m)
            r.append(o)
        y = F.concat(r, axis=-1)
        return y @ wo.T
