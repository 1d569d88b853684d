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
        self.rope = RotaryEmbedding(d_k=d_model // num_heads, max_seq_len=max_seq_len, theta=theta)

    def forward(self, q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight, in_features, token_positions):
        q = in_features @ q_proj_weight.T
        k = in_features @ k_proj_weight.T
        v = in_features @ v_proj_weight.T
        *batch_dims, seq_len, d_total = q.shape
        d_head = int(d_total) // self.num_heads

        def split_heads(x):
            return x.reshape([*batch_dims, seq_len, self.num_heads, d_head]).transpose(-3, -2)

        q, k, v = split_heads(q), split_heads(k), split_heads(v)
        places = token_positions.unsqueeze(-2)
        places = F.broadcast_to(places, [*batch_dims, self.num_heads, seq_len]).reshape([-1, seq_len])
        q = self.rope(q.reshape([-1, seq_len, d_head]), places).reshape(q.shape)
        k = self.rope(k.reshape([-1, seq_len, d_head]), places).reshape(k.shape)
        mask = causal_mask(seq_len, 0, dtype=q.dtype, device=q.device)
        attn_output, _ = scaled_dot_product_attention(q, k, v, mask=mask)
        combined = attn_output.transpose(-3, -2).reshape([*batch_dims, seq_len, self.num_heads * d_head])
        return combined @ o_proj_weight.T
