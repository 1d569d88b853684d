"""Rotary position embeddings (RoPE) and multi-head self-attention.

This implementation follows the GPT-J style: interleaved feature pairs.
"""

from __future__ import annotations

import math

import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask


def rotate_every_two(x: Tensor) -> Tensor:
    """Maps each pair (a, b) to (-b, a), i.e. a rotation by 90 degrees."""
    a = x[..., ::2]
    b = x[..., 1::2]
    return F.stack([-b, a], axis=-1).reshape(x.shape)


class RotaryEmbedding(Module):
    """Precomputes the cos/sin cache and applies it to the inputs."""

    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        # 1. Inverse frequencies, shape (d_k / 2,)
        inv_freq = 1.0 / (theta ** (np.arange(0, d_k, 2) / d_k))
        # 2. Positions, shape (max_seq_len,)
        t = np.arange(max_seq_len)
        # 3. Angles, shape (max_seq_len, d_k / 2)
        freqs = t[:, None] * inv_freq[None, :]
        # 4. Every angle serves both features of its pair, shape (max_seq_len, d_k)
        emb = np.repeat(freqs, 2, axis=-1)
        # 5. Cache the tables
        self.cos = np.cos(emb).astype(np.float32)
        self.sin = np.sin(emb).astype(np.float32)

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        cos_table = Tensor(self.cos, dtype=x.dtype, device=x.device)
        sin_table = Tensor(self.sin, dtype=x.dtype, device=x.device)
        cos = F.gather(cos_table, token_positions, axis=0)
        sin = F.gather(sin_table, token_positions, axis=0)
        return (x * cos) + (rotate_every_two(x) * sin)


class MultiHeadSelfAttentionRoPE(Module):
    """Causal multi-head self-attention with rotary position embeddings."""

    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        assert d_model % num_heads == 0, "d_model must be divisible by num_heads"
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.rope = RotaryEmbedding(d_k=self.d_k, max_seq_len=max_seq_len, theta=theta)

    def _split_heads(self, x: Tensor) -> Tensor:
        # (..., seq, d_model) -> (..., seq, heads, d_k) -> (..., heads, seq, d_k)
        x = x.reshape([*x.shape[:-1], self.num_heads, self.d_k])
        return F.transpose(x, -2, -3)

    def _merge_heads(self, x: Tensor) -> Tensor:
        # (..., heads, seq, d_k) -> (..., seq, heads, d_k) -> (..., seq, d_model)
        x = F.transpose(x, -2, -3)
        return F.flatten(x, start_dim=-2, end_dim=-1)

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        # Step 1: Linear projections
        query = in_features @ F.transpose(q_proj_weight, 0, 1)
        key = in_features @ F.transpose(k_proj_weight, 0, 1)
        value = in_features @ F.transpose(v_proj_weight, 0, 1)

        # Step 2: Split into heads
        query = self._split_heads(query)
        key = self._split_heads(key)
        value = self._split_heads(value)

        # Step 3: Apply RoPE to queries and keys only
        positions = F.unsqueeze(token_positions, -2)
        query = self.rope(query, positions)
        key = self.rope(key, positions)

        # Step 4: Scaled dot-product attention with a causal mask
        scores = (query @ F.transpose(key, -2, -1)) / math.sqrt(self.d_k)
        seq_len = query.shape[-2]
        mask = causal_mask(seq_len, 0, dtype=scores.dtype, device=scores.device)
        weights = F.softmax(scores + mask, axis=-1)
        context = weights @ value

        # Step 5: Merge the heads and apply the output projection
        context = self._merge_heads(context)
        return context @ F.transpose(o_proj_weight, 0, 1)
