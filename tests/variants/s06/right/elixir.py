"""RoPE as a pipeline of pure functions."""

from __future__ import annotations

from functools import reduce

import numpy as np

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


def pipe(value, *steps):
    """value |> step1 |> step2 ..."""
    return reduce(lambda acc, step: step(acc), steps, value)


def angle_table(d_k: int, max_seq_len: int, theta: float) -> np.ndarray:
    exponents = np.arange(d_k // 2) * 2.0 / d_k
    speeds = 1.0 / np.power(theta, exponents)
    places = np.arange(max_seq_len)
    return places[:, None] * speeds[None, :]


def unzip(x: Tensor) -> tuple[Tensor, Tensor]:
    pairs = x.reshape(x.shape[:-1] + [x.shape[-1] // 2, 2])
    return pairs[..., 0], pairs[..., 1]


class RotaryEmbedding(Module):
    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        angles = angle_table(d_k, max_seq_len, theta)
        self.cos, self.sin = (fun(angles).astype("float32") for fun in (np.cos, np.sin))

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        def look_up(table: np.ndarray) -> Tensor:
            rows = Tensor(table, dtype=x.dtype, device=x.device)
            return F.gather(rows, token_positions, axis=0)

        c, s = map(look_up, (self.cos, self.sin))
        re, im = unzip(x)
        rotated = (re * c - im * s, re * s + im * c)
        return pipe(
            rotated,
            lambda pair: F.stack(pair, axis=-1),
            lambda t: t.reshape(x.shape),
        )


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.rope = RotaryEmbedding(self.d_k, max_seq_len, theta)

    def _split_heads(self, x: Tensor) -> Tensor:
        return pipe(
            x,
            lambda t: F.reshape(t, [*t.shape[:-1], self.num_heads, self.d_k]),
            lambda t: F.transpose(t, -3, -2),
        )

    def _merge_heads(self, x: Tensor) -> Tensor:
        return pipe(
            x,
            lambda t: F.transpose(t, -3, -2),
            lambda t: F.reshape(t, [*t.shape[:-2], self.d_model]),
        )

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        project = lambda weight: self._split_heads(in_features @ weight.T)
        spin = lambda heads: self.rope(heads, token_positions.unsqueeze(-2))
        q = pipe(q_proj_weight, project, spin)
        k = pipe(k_proj_weight, project, spin)
        v = pipe(v_proj_weight, project)
        mask = causal_mask(q.shape[-2], 0, dtype=q.dtype, device=q.device)
        attend = lambda m: scaled_dot_product_attention(q, k, v, mask=m)[0]
        return pipe(mask, attend, self._merge_heads, lambda t: t @ o_proj_weight.T)
