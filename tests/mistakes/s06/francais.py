"""RoPE."""
from __future__ import annotations

import numpy as np

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor
from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


class RotaryEmbedding(Module):
    """Rotation of neighbouring pairs."""

    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        paires = d_k // 2
        vitesse = 1.0 / theta ** (np.arange(paires) * 2.0 / d_k)
        angles = np.arange(max_seq_len)[:, None] * vitesse[None, :]
        self.cos = np.cos(angles).astype("float32")
        self.sin = np.sin(angles).astype("float32")

    def _lire(self, table: np.ndarray, x: Tensor, pos: Tensor) -> Tensor:
        """Rows of a table for these positions."""
        t = Tensor(table, dtype=x.dtype, device=x.device)
        return F.gather(t, pos, axis=0)

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        c = self._lire(self.cos, x, token_positions)
        s = self._lire(self.sin, x, token_positions)
        a = x[..., ::2]
        b = x[..., 1::2]
        couples = F.stack([a * c - b * s, b * c + a * s], axis=-1)
        return F.reshape(couples, x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    """Attention with rotated queries and keys."""

    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.rope = RotaryEmbedding(self.d_k, max_seq_len, theta)

    def _split_heads(self, x: Tensor) -> Tensor:
        *devant, seq, _ = x.shape
        return x.reshape([*devant, seq, self.num_heads, self.d_k]).transpose(-3, -2)

    def _merge_heads(self, x: Tensor) -> Tensor:
        *devant, _, seq, _ = x.shape
        return x.transpose(-3, -2).reshape([*devant, seq, self.d_model])

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        pos = token_positions.unsqueeze(-2)
        q = self._split_heads(in_features @ q_proj_weight.T)
        q = self.rope(q, pos)
        k = self._split_heads(in_features @ k_proj_weight.T)
        k = self.rope(k, pos)
        v = self._split_heads(in_features @ v_proj_weight.T)
        masque = causal_mask(q.shape[-2], 0, dtype=q.dtype, device=q.device)
        y, _ = scaled_dot_product_attention(q, k, v, mask=masque)
        return self._merge_heads(y) @ o_proj_weight.T
