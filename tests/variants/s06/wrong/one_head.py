# concept: one-head
# check: heads, layer-numbers
import math
import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


class RotaryEmbedding(Module):
    def __init__(self, d_k, max_seq_len, theta):
        super().__init__()
        frequencies = theta ** (-np.arange(0, d_k, 2) / d_k)
        angles = np.outer(np.arange(max_seq_len), frequencies)
        self.cos = np.cos(angles).astype(np.float32)
        self.sin = np.sin(angles).astype(np.float32)

    def forward(self, x, token_positions):
        cos = F.gather(Tensor(self.cos, dtype=x.dtype, device=x.device), token_positions, axis=0)
        sin = F.gather(Tensor(self.sin, dtype=x.dtype, device=x.device), token_positions, axis=0)
        even = x[..., 0::2]
        odd = x[..., 1::2]
        turned = F.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1)
        return turned.reshape(x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model, num_heads, max_seq_len, theta):
        super().__init__()
        self.num_heads = 1
        self.head_dim = d_model
        self.rope = RotaryEmbedding(self.head_dim, max_seq_len, theta)

    def __call__(self, q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight, in_features, token_positions):
        def heads(x):
            return x.reshape(x.shape[:-1] + [self.num_heads, self.head_dim]).transpose(-3, -2)

        q = heads(in_features @ q_proj_weight.transpose(0, 1))
        k = heads(in_features @ k_proj_weight.transpose(0, 1))
        v = heads(in_features @ v_proj_weight.transpose(0, 1))
        where = token_positions.unsqueeze(-2)
        q, k = self.rope(q, where), self.rope(k, where)
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)
        scores = scores + causal_mask(q.shape[-2], 0, dtype=q.dtype, device=q.device)
        out = (F.softmax(scores) @ v).transpose(-3, -2)
        out = out.reshape(out.shape[:-2] + [self.num_heads * self.head_dim])
        return out @ o_proj_weight.transpose(0, 1)
