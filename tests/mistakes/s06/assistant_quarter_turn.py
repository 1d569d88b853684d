from __future__ import annotations

import math

import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor
from solutions.solution_02 import causal_mask


class RotaryEmbedding(Module):
    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        rows_cos, rows_sin = [], []
        freqs = [theta ** (-2.0 * i / d_k) for i in range(d_k // 2)]
        for m in range(max_seq_len):
            rows_cos.append([math.cos(m * f) for f in freqs])
            rows_sin.append([math.sin(m * f) for f in freqs])
        self.tables = {
            "cos": np.array(rows_cos, dtype=np.float32),
            "sin": np.array(rows_sin, dtype=np.float32),
        }

    def _lookup(self, name, positions, like):
        table = Tensor(self.tables[name], dtype=like.dtype, device=like.device)
        rows = F.gather(table, positions, axis=0)
        # every angle serves both members of a pair
        return F.stack([rows, rows], axis=-1).reshape(rows.shape[:-1] + [rows.shape[-1] * 2])

    @staticmethod
    def _quarter_turn(x):
        left = x[..., 0::2]
        right = x[..., 1::2]
        return F.stack([-right, left], axis=-1).reshape(x.shape)

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        cos = self._lookup("cos", token_positions, x)
        sin = self._lookup("sin", token_positions, x)
        return x * cos + self._quarter_turn(x) * sin


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.rope = RotaryEmbedding(d_model // num_heads, max_seq_len, theta)

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        lead = list(in_features.shape[:-1])
        size = self.d_model // self.num_heads

        def heads(weight):
            return (in_features @ weight.T).reshape([*lead, self.num_heads, size]).transpose(-3, -2)

        q, k, v = (heads(w) for w in (q_proj_weight, k_proj_weight, v_proj_weight))
        per_head = token_positions.unsqueeze(-2)
        q = self.rope(q, per_head)
        k = self.rope(k, per_head)
        scores = (q @ k.transpose(-1, -2)) * (1 / math.sqrt(size))
        scores = scores + causal_mask(lead[-1], 0, dtype=q.dtype, device=q.device)
        mixed = F.softmax(scores) @ v
        return mixed.transpose(-3, -2).reshape([*lead, self.d_model]) @ o_proj_weight.T
