import math
import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor
from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


def rotate(x):
    left = x[..., 0::2]
    right = x[..., 1::2]
    pairs = F.stack([-right, left], axis=-1)
    return pairs.reshape(x.shape)


class RotaryEmbedding(Module):
    def __init__(self, d_k, max_seq_len, theta):
        super().__init__()
        steps = np.arange(0, d_k, 2) / d_k
        inv = 1.0 / np.power(theta, steps)
        angles = np.arange(max_seq_len).reshape(-1, 1) * inv.reshape(1, -1)
        both = np.repeat(angles, 2, axis=1)
        self.table = np.stack([np.cos(both), np.sin(both)]).astype(np.float32)

    def forward(self, x, token_positions):
        table = Tensor(self.table, dtype=x.dtype, device=x.device)
        cos = F.gather(table[0], token_positions, axis=0)
        sin = F.gather(table[1], token_positions, axis=0)
        return x * cos + rotate(x) * sin


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model, num_heads, max_seq_len, theta):
        super().__init__()
        self.heads = num_heads
        self.rope = RotaryEmbedding(d_model // num_heads, max_seq_len, theta)

    def forward(self, q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight, in_features, token_positions):
        width = int(in_features.shape[-1]) // self.heads
        mask = causal_mask(in_features.shape[-2], 0, dtype=in_features.dtype, device=in_features.device)
        outs = []
        for h in range(self.heads):
            start = h * width
            stop = start + width
            q = in_features @ q_proj_weight[start:stop, :].T
            k = in_features @ k_proj_weight[start:stop, :].T
            v = in_features @ v_proj_weight[start:stop, :].T
            q = self.rope(q, token_positions)
            k = self.rope(k, token_positions)
            out, _ = scaled_dot_product_attention(q, k, v, mask)
            outs.append(out)
        merged = F.concat(outs, axis=-1)
        return merged @ o_proj_weight.T
