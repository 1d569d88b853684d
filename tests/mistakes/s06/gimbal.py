"""Rotary positions, seen as 2D vertices that spin a little further in every frame."""

from __future__ import annotations

import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


def perp(v: Tensor) -> Tensor:
    """All vertices, a quarter turn counterclockwise."""
    x, y = v[..., 0], v[..., 1]
    return F.stack([-y, x], axis=-1)


class RotaryEmbedding(Module):
    """Spins the vertices of a vector, each at its own speed."""

    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        speed = 1.0 / theta ** (2 * np.arange(d_k // 2) / d_k)  # radians per frame
        frame = np.arange(max_seq_len)
        angle = frame[:, None] * speed[None, :]
        self.cos, self.sin = (fn(angle).astype(np.float32) for fn in (np.cos, np.sin))

    def _fetch(self, texture: np.ndarray, frames: Tensor, like: Tensor) -> Tensor:
        """Texels of some frames: [..., seq, d_k / 2, 1]."""
        texels = Tensor(texture, dtype=like.dtype, device=like.device)
        return F.gather(texels, frames, axis=0).unsqueeze(-1)

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        vertices = x.reshape(x.shape[:-1] + [x.shape[-1] // 2, 2])
        c = self._fetch(self.cos, token_positions, x)
        s = self._fetch(self.sin, token_positions, x)
        return (vertices * c + perp(vertices) * s).reshape(x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    """Several cameras look at the same scene."""

    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_model, self.num_heads = d_model, num_heads
        self.d_k = d_model // num_heads
        self.rope = RotaryEmbedding(self.d_k, max_seq_len, theta)

    def _split_heads(self, x: Tensor) -> Tensor:
        strips = x.reshape(x.shape[:-1] + [self.num_heads, self.d_k])
        return F.transpose(strips, -2, -3)

    def _merge_heads(self, x: Tensor) -> Tensor:
        strips = F.transpose(x, -2, -3)
        return F.flatten(strips, -2, -1)

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        def view(matrix: Tensor) -> Tensor:
            return self._split_heads(F.matmul(in_features, matrix.T))

        frames = F.unsqueeze(token_positions, -2)  # one row for all cameras
        query, key = (self.rope(view(m), frames) for m in (q_proj_weight, k_proj_weight))
        value = view(v_proj_weight)

        depth = in_features.shape[-2]
        occluder = causal_mask(depth, 0, dtype=value.dtype, device=value.device)
        image, _ = scaled_dot_product_attention(query, key, value, occluder)
        return self._merge_heads(image) @ o_proj_weight.T
