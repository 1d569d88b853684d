"""Step 06: RoPE, seen as a stack of 2D rotation matrices."""

from __future__ import annotations

import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


def cos_sin_tables(d_k: int, max_seq_len: int, theta: float) -> tuple[np.ndarray, np.ndarray]:
    """(cos, sin) of every position and plane, each [max_seq_len, planes]."""
    plane = np.arange(d_k // 2)
    speed = 1.0 / theta ** (2.0 * plane / d_k)
    position = np.arange(max_seq_len)
    angle = position[:, None] * speed[None, :]
    return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)


class RotaryEmbedding(Module):
    """Turns each plane (x, y) of a vector by the angle of its position."""

    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.planes = d_k // 2
        self.cos, self.sin = cos_sin_tables(d_k, max_seq_len, theta)

    def _rows(self, table: np.ndarray, x: Tensor, token_positions: Tensor) -> Tensor:
        texture = Tensor(table, dtype=x.dtype, device=x.device)
        return F.gather(texture, token_positions, axis=0)

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        c = self._rows(self.cos, x, token_positions)
        s = self._rows(self.sin, x, token_positions)

        # columns of the matrix  | c  -s |
        #                        | s   c |
        x_axis = F.stack([c, s], axis=-1)
        y_axis = F.stack([-s, c], axis=-1)

        # points (px, py), one for each plane
        points = x.reshape(x.shape[:-1] + [self.planes, 2])
        px = points[..., 0:1]
        py = points[..., 1:2]

        moved = x_axis * px + y_axis * py
        return F.flatten(moved, start_dim=-2)


class MultiHeadSelfAttentionRoPE(Module):
    """Causal attention on rotated queries and keys."""

    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.rope = RotaryEmbedding(self.d_k, max_seq_len, theta)

    def _split_heads(self, x: Tensor) -> Tensor:
        lead = x.shape[:-1]
        return F.transpose(F.reshape(x, lead + [self.num_heads, self.d_k]), -2, -3)

    def _merge_heads(self, x: Tensor) -> Tensor:
        side_by_side = F.transpose(x, -2, -3)
        return F.flatten(side_by_side, start_dim=-2)

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)
        q, k, v = (self._split_heads(in_features @ w.T) for w in weights)

        # one set of positions for all heads
        where = F.unsqueeze(token_positions, -2)
        q, k = self.rope(q, where), self.rope(k, where)

        hide = causal_mask(q.shape[-2], 0, dtype=q.dtype, device=q.device)
        mixed, _weights = scaled_dot_product_attention(q, k, v, hide)
        return self._merge_heads(mixed) @ o_proj_weight.T
