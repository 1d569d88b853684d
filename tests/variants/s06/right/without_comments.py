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
        self.d_model = d_model
        self.num_heads = num_heads
        self.rope = RotaryEmbedding(d_model // num_heads, max_seq_len, theta)

    def _split_heads(self, x):
        shape = x.shape[:-1] + [self.num_heads, self.d_model // self.num_heads]
        return x.reshape(shape).transpose(-3, -2)

    def _merge_heads(self, x):
        x = x.transpose(-3, -2)
        return x.reshape(x.shape[:-2] + [self.d_model])

    def forward(self, q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight, in_features, token_positions):
        query = self._split_heads(in_features @ q_proj_weight.T)
        key = self._split_heads(in_features @ k_proj_weight.T)
        value = self._split_heads(in_features @ v_proj_weight.T)
        positions = token_positions.unsqueeze(-2)
        query = self.rope(query, positions)
        key = self.rope(key, positions)
        mask = causal_mask(query.shape[-2], 0, dtype=query.dtype, device=query.device)
        output, _ = scaled_dot_product_attention(query, key, value, mask)
        return self._merge_heads(output) @ o_proj_weight.T
