"""Step 06, RoPE: every pair of features is a 2D vector that spins with its position."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention

# Axes, from the end
HEAD_AXIS = -3
SEQ_AXIS = -2
FEATURE_AXIS = -1


class Vec2(NamedTuple):
    """A 2D vector of tensors."""

    x: Tensor
    y: Tensor

    def rotated(self, rot: Rotor) -> Vec2:
        return Vec2(
            x=self.x * rot.c - self.y * rot.s,
            y=self.y * rot.c + self.x * rot.s,
        )


class Rotor(NamedTuple):
    """Cosine and sine of an angle."""

    c: Tensor
    s: Tensor


class RotaryEmbedding(Module):
    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        num_pairs = d_k // 2
        spin = np.array([theta ** (-2.0 * i / d_k) for i in range(num_pairs)])
        angles = np.empty((max_seq_len, num_pairs))
        for tick in range(max_seq_len):
            angles[tick] = tick * spin
        # Lookup tables, NumPy on purpose
        self.cos = np.cos(angles).astype(np.float32)
        self.sin = np.sin(angles).astype(np.float32)

    def _fetch(self, table: np.ndarray, like: Tensor, where: Tensor) -> Tensor:
        lut = Tensor(table, dtype=like.dtype, device=like.device)
        return F.gather(lut, where, axis=0)

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        rotor = Rotor(
            c=self._fetch(self.cos, x, token_positions),
            s=self._fetch(self.sin, x, token_positions),
        )
        point = Vec2(x[..., ::2], x[..., 1::2])
        point = point.rotated(rotor)
        interleaved = F.stack([point.x, point.y], axis=FEATURE_AXIS)
        return interleaved.reshape(x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_size = d_model // num_heads
        self.rope = RotaryEmbedding(self.head_size, max_seq_len, theta)

    def _split_heads(self, x: Tensor) -> Tensor:
        x = x.reshape(list(x.shape[:FEATURE_AXIS]) + [self.num_heads, self.head_size])
        x = x.transpose(HEAD_AXIS, SEQ_AXIS)
        return x

    def _merge_heads(self, x: Tensor) -> Tensor:
        x = x.transpose(HEAD_AXIS, SEQ_AXIS)
        x = x.reshape(list(x.shape[:SEQ_AXIS]) + [self.d_model])
        return x

    def _project(self, weight: Tensor, x: Tensor) -> Tensor:
        return self._split_heads(x @ weight.T)

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        slots = token_positions.unsqueeze(SEQ_AXIS)  # room for the heads

        query = self._project(q_proj_weight, in_features)
        query = self.rope(query, slots)

        key = self._project(k_proj_weight, in_features)
        key = self.rope(key, slots)

        value = self._project(v_proj_weight, in_features)

        count = in_features.shape[SEQ_AXIS]
        fog = causal_mask(count, 0, dtype=query.dtype, device=query.device)
        result = scaled_dot_product_attention(query, key, value, mask=fog)
        output = self._merge_heads(result[0])
        output = output @ o_proj_weight.T
        return output
