# concept: two-minuses
# check: rotate, rope-distance, rope-numbers
import numpy as np
import max.experimental.functional as fn
import max.experimental.nn as nn
from max.experimental.tensor import Tensor
from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention as sdpa


class RotaryEmbedding(nn.Module):
    def __init__(self, d_k, max_seq_len, theta):
        super().__init__()
        exponent = np.arange(0, d_k, 2) / d_k
        angle = np.multiply.outer(np.arange(max_seq_len), np.power(theta, -exponent))
        self.c = np.float32(np.cos(angle))
        self.s = np.float32(np.sin(angle))

    def forward(self, x, token_positions):
        c = fn.gather(fn.constant(self.c, x.dtype, x.device), token_positions, axis=0)
        s = fn.gather(fn.constant(self.s, x.dtype, x.device), token_positions, axis=0)
        a, b = x[..., 0::2], x[..., 1::2]
        first = fn.sub(fn.mul(a, c), fn.mul(b, s))
        second = fn.sub(fn.mul(a, s), fn.mul(b, c))
        return fn.reshape(fn.stack([first, second], axis=-1), x.shape)


class MultiHeadSelfAttentionRoPE(nn.Module):
    def __init__(self, d_model, num_heads, max_seq_len, theta):
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.rope = RotaryEmbedding(d_model // num_heads, max_seq_len, theta)

    def forward(self, q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight, in_features, token_positions):
        shape = in_features.shape[:-1] + [self.num_heads, self.d_model // self.num_heads]
        q, k, v = [
            fn.transpose(fn.reshape(fn.matmul(in_features, fn.transpose(w, 0, 1)), shape), -3, -2)
            for w in (q_proj_weight, k_proj_weight, v_proj_weight)
        ]
        positions = fn.unsqueeze(token_positions, -2)
        q = self.rope(q, positions)
        k = self.rope(k, positions)
        mask = causal_mask(q.shape[-2], 0, dtype=q.dtype, device=q.device)
        out, _ = sdpa(q, k, v, mask)
        out = fn.reshape(fn.transpose(out, -3, -2), in_features.shape)
        return fn.matmul(out, fn.transpose(o_proj_weight, 0, 1))
