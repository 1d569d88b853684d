# concept: weights-qkk
# check: project, layer-numbers
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
    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads must divide d_model")
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.rope = RotaryEmbedding(self.head_dim, max_seq_len, theta)

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        query = in_features @ q_proj_weight.T
        key = in_features @ k_proj_weight.T
        value = in_features @ k_proj_weight.T

        leading = list(in_features.shape[:-1])
        query = query.reshape(leading + [self.num_heads, self.head_dim])
        key = key.reshape(leading + [self.num_heads, self.head_dim])
        value = value.reshape(leading + [self.num_heads, self.head_dim])

        query_heads = query.transpose(-3, -2)
        key_heads = key.transpose(-3, -2)
        value_heads = value.transpose(-3, -2)

        positions_for_heads = token_positions.unsqueeze(-2)
        rotated_query = self.rope(query_heads, positions_for_heads)
        rotated_key = self.rope(key_heads, positions_for_heads)

        sequence_length = in_features.shape[-2]
        mask = causal_mask(sequence_length, 0, dtype=in_features.dtype, device=in_features.device)

        output_heads, attention_weights = scaled_dot_product_attention(
            query=rotated_query, key=rotated_key, value=value_heads, mask=mask
        )

        output_merged = output_heads.transpose(-3, -2)
        output_merged = output_merged.reshape(leading + [self.d_model])

        return output_merged @ o_proj_weight.T
