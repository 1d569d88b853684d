"""Rotary positions: every pair (I, Q) is mixed with a carrier of its own."""

from __future__ import annotations

import numpy as np

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


class RotaryEmbedding(Module):
    """A bank of d_k / 2 complex oscillators, sampled once per token."""

    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        n_osc = d_k // 2
        omega = float(theta) ** -(np.arange(n_osc) / n_osc)  # radians per sample
        t = np.arange(max_seq_len)
        phase = t[:, None] * omega
        carrier = np.exp(1j * phase)
        self.cos = carrier.real.astype(np.float32)
        self.sin = carrier.imag.astype(np.float32)

    def _sample(self, wave: np.ndarray, t: Tensor, like: Tensor) -> Tensor:
        table = Tensor(wave, dtype=like.dtype, device=like.device)
        return F.gather(table, t, axis=0)

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        lo_i = self._sample(self.cos, token_positions, x)
        lo_q = self._sample(self.sin, token_positions, x)

        iq = x.reshape(x.shape[:-1] + [int(x.shape[-1]) // 2, 2])
        in_phase = iq[..., 0]
        quadrature = iq[..., 1]

        mixed_i = in_phase * lo_i - quadrature * lo_q
        mixed_q = in_phase * lo_q + quadrature * lo_i
        return F.stack([mixed_i, mixed_q], axis=-1).reshape(x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.rope = RotaryEmbedding(self.d_k, max_seq_len, theta)

    def _split_heads(self, x: Tensor) -> Tensor:
        channels = x.reshape(x.shape[:-1] + [self.num_heads, self.d_k])
        return F.transpose(channels, -3, -2)

    def _merge_heads(self, x: Tensor) -> Tensor:
        interleaved = F.transpose(x, -3, -2)
        return F.flatten(interleaved, start_dim=-2)

    def _channel(self, x: Tensor, weight: Tensor) -> Tensor:
        """One projection, [out, in], split into heads."""
        return self._split_heads(x @ weight.transpose(-1, -2))

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        q = self._channel(in_features, q_proj_weight)
        k = self._channel(in_features, k_proj_weight)
        v = self._channel(in_features, v_proj_weight)

        t = F.unsqueeze(token_positions, -2)  # the same clock for all heads
        q = self.rope(q, t)
        k = self.rope(k, t)

        n = in_features.shape[-2]
        gate = causal_mask(n, 0, dtype=q.dtype, device=q.device)
        wet, _ = scaled_dot_product_attention(q, k, v, gate)
        return self._merge_heads(wet) @ o_proj_weight.transpose(-1, -2)
