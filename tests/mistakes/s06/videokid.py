# RoPE from scratch!! (following along with the video, part 6)

from __future__ import annotations

import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


class RotaryEmbedding(Module):
    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_k = d_k
        self.max_seq_len = max_seq_len

        # one speed for each pair
        half = d_k // 2
        i = np.arange(half)
        speed = 1.0 / theta ** (2 * i / d_k)

        # every position times every speed
        pos = np.arange(max_seq_len)
        angle = pos[:, None] * speed[None, :]

        # numpy! not Tensor, or it becomes a weight
        self.cos = np.cos(angle).astype(np.float32)
        self.sin = np.sin(angle).astype(np.float32)

    def lookup(self, table, x: Tensor, where: Tensor) -> Tensor:
        t = Tensor(table, dtype=x.dtype, device=x.device)
        return F.gather(t, where, axis=0)

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        c = self.lookup(self.cos, x, token_positions)
        s = self.lookup(self.sin, x, token_positions)

        # x1 = first of each pair, x2 = second of each pair
        x1 = x[..., 0::2]
        x2 = x[..., 1::2]

        # rotation matrix from math class
        new_x1 = x1 * c - x2 * s
        new_x2 = x1 * s + x2 * c

        # zip them back together
        new_x1 = new_x1.unsqueeze(-1)
        new_x2 = new_x2.unsqueeze(-1)
        out = F.concat([new_x1, new_x2], axis=-1)
        return out.reshape(x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.rope = RotaryEmbedding(self.d_k, max_seq_len, theta)

    def _split_heads(self, x: Tensor) -> Tensor:
        lead = list(x.shape[:-1])
        x = x.reshape(lead + [self.num_heads, self.d_k])
        x = x.transpose(-2, -3)
        return x

    def _merge_heads(self, x: Tensor) -> Tensor:
        x = x.transpose(-2, -3)
        lead = list(x.shape[:-2])
        x = x.reshape(lead + [self.num_heads * self.d_k])
        return x

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        # 1. make q, k, v
        q = in_features @ q_proj_weight.T
        k = in_features @ k_proj_weight.T
        v = in_features @ v_proj_weight.T

        # 2. heads
        q = self._split_heads(q)
        k = self._split_heads(k)
        v = self._split_heads(v)

        # 3. spin q and k (NOT v!!)
        where = token_positions.unsqueeze(-2)
        q = self.rope(q, where)
        k = self.rope(k, where)

        # 4. attention
        T = in_features.shape[-2]
        mask = causal_mask(T, 0, dtype=in_features.dtype, device=in_features.device)
        out, attn = scaled_dot_product_attention(q, k, v, mask)

        # 5. back to one vector per token
        out = self._merge_heads(out)
        return out @ o_proj_weight.T
