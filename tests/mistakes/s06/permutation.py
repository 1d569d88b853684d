import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


class RotaryEmbedding(Module):
    def __init__(self, d_k, max_seq_len, theta):
        super().__init__()
        pair = np.arange(d_k) // 2
        rates = 1.0 / theta ** (2 * pair / d_k)
        angles = np.arange(max_seq_len)[:, None] * rates[None, :]
        self.cos = np.cos(angles).astype(np.float32)
        self.sin = np.sin(angles).astype(np.float32)
        quarter = np.zeros((d_k, d_k), dtype=np.float32)
        for i in range(0, d_k, 2):
            quarter[i + 1, i] = -1.0
            quarter[i, i + 1] = 1.0
        self.quarter = quarter

    def forward(self, x, token_positions):
        def on_device(array):
            return Tensor(array, dtype=x.dtype, device=x.device)

        cos = F.gather(on_device(self.cos), token_positions, axis=0)
        sin = F.gather(on_device(self.sin), token_positions, axis=0)
        across = x @ on_device(self.quarter)
        return x * cos + across * sin


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model, num_heads, max_seq_len, theta):
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.rope = RotaryEmbedding(self.d_k, max_seq_len, theta)

    def forward(
        self, q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight, in_features, token_positions
    ):
        weight = F.concat([q_proj_weight, k_proj_weight, v_proj_weight], axis=0)
        joined = in_features @ weight.T
        d = self.d_model
        parts = [joined[..., i * d : (i + 1) * d] for i in range(3)]
        heads = [
            part.reshape(part.shape[:-1] + [self.num_heads, self.d_k]).transpose(-2, -3)
            for part in parts
        ]
        query, key, value = heads
        where = token_positions.unsqueeze(-2)
        query, key = (self.rope(one, where) for one in (query, key))
        seq = in_features.shape[-2]
        mask = causal_mask(seq, 0, dtype=query.dtype, device=query.device)
        mixed, _ = scaled_dot_product_attention(query, key, value, mask)
        merged = mixed.transpose(-2, -3).reshape(in_features.shape)
        return merged @ o_proj_weight.T
