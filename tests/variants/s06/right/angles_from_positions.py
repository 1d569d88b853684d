import math
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor
from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


class RotaryEmbedding(Module):
    """No tables: the angles are worked out from the positions each time."""

    def __init__(self, d_k, max_seq_len, theta):
        super().__init__()
        self.d_k = d_k
        self.theta = theta

    def forward(self, x, token_positions):
        pairs = Tensor.arange(0, self.d_k, 2, dtype=DType.float64, device=x.device)
        inv_freq = F.exp(pairs * (-math.log(self.theta) / self.d_k))
        angles = token_positions.cast(DType.float64).unsqueeze(-1) * inv_freq
        cos, sin = F.cos(angles).cast(x.dtype), F.sin(angles).cast(x.dtype)
        x1, x2 = x[..., 0::2], x[..., 1::2]
        out = F.stack([x1 * cos - x2 * sin, x1 * sin + x2 * cos], axis=-1)
        return out.reshape(x.shape)


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
