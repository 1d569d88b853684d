import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


class RotaryEmbedding(Module):
    def __init__(self, d_k, max_seq_len, theta):
        super().__init__()
        i = np.arange(d_k // 2)
        w = 1.0 / theta ** (2 * i / d_k)
        m = np.arange(max_seq_len)
        a = m[:, None] * w[None, :]
        self.c = np.cos(a).astype(np.float32)
        self.s = np.sin(a).astype(np.float32)

    def __call__(self, x, token_positions):
        c = F.gather(Tensor(self.c), token_positions, axis=0)
        s = F.gather(Tensor(self.s), token_positions, axis=0)
        a = x[..., ::2]
        b = x[..., 1::2]
        u = a * c - b * s
        v = b * c + a * s
        u = u.unsqueeze(-1)
        v = v.unsqueeze(-1)
        y = F.concat([u, v], axis=-1)
        return y.reshape(x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model, num_heads, max_seq_len, theta):
        super().__init__()
        self.n = num_heads
        self.h = d_model // num_heads
        self.r = RotaryEmbedding(self.h, max_seq_len, theta)

    def __call__(self, q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight, in_features, token_positions):
        x = in_features
        t = x.shape[-2]
        f = x.shape[:-1]
        q = x @ q_proj_weight.T
        k = x @ k_proj_weight.T
        v = x @ v_proj_weight.T
        q = q.reshape(f + [self.n, self.h]).transpose(-2, -3)
        k = k.reshape(f + [self.n, self.h]).transpose(-2, -3)
        v = v.reshape(f + [self.n, self.h]).transpose(-2, -3)
        p = token_positions.unsqueeze(-2)
        q = self.r(q, p)
        k = self.r(k, p)
        m = causal_mask(t, 0, dtype=x.dtype, device=x.device)
        o, _ = scaled_dot_product_attention(q, k, v, m)
        o = o.transpose(-2, -3).reshape(f + [self.n * self.h])
        return o @ o_proj_weight.T
