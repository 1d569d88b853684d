"""Step 06, rotary positions. Written in matrix form, everything vectorised."""

from __future__ import annotations

import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


def angle_matrix(n_pos, d_k, theta):
    """A[m, i] = m * theta^(-2 i / d_k), float64."""
    two_i = np.arange(0, d_k, step=2)
    omega = np.power(theta, -two_i / d_k)
    m = np.arange(n_pos)
    return m[:, None] * omega[None, :]


def as_tensor_like(TABLE, x):
    """A NumPy matrix with the type and the device of x."""
    return Tensor(TABLE, dtype=x.dtype, device=x.device)


class RotaryEmbedding(Module):
    """Rotates neighbouring features. No parameters: the tables are NumPy."""

    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        A = angle_matrix(max_seq_len, d_k, theta)
        self.half = d_k // 2
        self.cos, self.sin = (f(A).astype("float32") for f in (np.cos, np.sin))

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        C = F.gather(as_tensor_like(self.cos, x), token_positions, axis=0)
        S = F.gather(as_tensor_like(self.sin, x), token_positions, axis=0)

        # [..., seq, d_k] -> [..., seq, d_k / 2, 2]: one row per pair
        PAIRS = x.reshape(x.shape[:-1] + [self.half, 2])
        a = PAIRS[..., 0]
        b = PAIRS[..., 1]

        # (a, b) times the 2 x 2 rotation matrix
        col_1 = a * C - b * S
        col_2 = a * S + b * C
        ROTATED = F.concat([col_1.unsqueeze(-1), col_2.unsqueeze(-1)], axis=-1)
        return F.reshape(ROTATED, x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.rope = RotaryEmbedding(self.d_k, max_seq_len, theta)

    def _split_heads(self, x: Tensor) -> Tensor:
        *lead, n_seq, _ = x.shape
        BLOCKS = F.reshape(x, [*lead, n_seq, self.num_heads, self.d_k])
        return F.transpose(BLOCKS, -2, -3)

    def _merge_heads(self, x: Tensor) -> Tensor:
        *lead, _, n_seq, _ = x.shape
        BLOCKS = F.transpose(x, -2, -3)
        return F.reshape(BLOCKS, [*lead, n_seq, self.d_model])

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        X = in_features
        n_seq = X.shape[-2]
        pos = F.unsqueeze(token_positions, -2)

        # X W' for all three, then the heads
        Q, K, V = (
            self._split_heads(X @ W.transpose(-1, -2))
            for W in (q_proj_weight, k_proj_weight, v_proj_weight)
        )
        Q_rot, K_rot = self.rope(Q, pos), self.rope(K, pos)

        MASK = causal_mask(n_seq, 0, dtype=X.dtype, device=X.device)
        Y, WEIGHTS = scaled_dot_product_attention(Q_rot, K_rot, V, MASK)
        return self._merge_heads(Y) @ o_proj_weight.transpose(-1, -2)
