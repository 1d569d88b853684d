import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


from max.dtype import DType


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


def _future(n, like):
    i = Tensor.arange(n, dtype=DType.int32, device=like.device)
    low = Tensor(float("-inf"), dtype=like.dtype, device=like.device)
    zero = Tensor(0.0, dtype=like.dtype, device=like.device)
    return F.where(i.unsqueeze(0) > i.unsqueeze(1), low, zero)


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model, num_heads, max_seq_len, theta):
        super().__init__()
        self.d_model, self.num_heads = d_model, num_heads
        self.rope = RotaryEmbedding(d_model // num_heads, max_seq_len, theta)

    def _split_heads(self, x):
        shape = list(x.shape[:-1]) + [self.num_heads, self.d_model // self.num_heads]
        return F.transpose(x.reshape(shape), -3, -2)

    def forward(self, q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight, in_features, token_positions):
        q, k, v = (self._split_heads(in_features @ w.T) for w in (q_proj_weight, k_proj_weight, v_proj_weight))
        p = token_positions.unsqueeze(-2)
        n = int(q.shape[-2])
        output, weights = scaled_dot_product_attention(self.rope(q, p), self.rope(k, p), v, _future(n, q))
        output = F.transpose(output, -3, -2)
        return output.reshape(in_features.shape) @ o_proj_weight.T
