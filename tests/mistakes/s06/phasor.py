"""RoPE seen as mixing: neighbouring features are I/Q samples, a position is a phase."""

from __future__ import annotations

import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


def angular_velocities(d_k: int, theta: float) -> np.ndarray:
    """Radians per token, one for each I/Q pair: a geometric comb from 1 towards 1/theta."""
    return np.geomspace(1.0, 1.0 / theta, d_k // 2, endpoint=False)


def oscillator_bank(omega: np.ndarray, n_samples: int) -> np.ndarray:
    """Complex exponentials exp(j omega n), [n_samples, pairs]."""
    n = np.arange(n_samples)
    return np.exp(1j * n[:, None] * omega[None, :])


class RotaryEmbedding(Module):
    """Multiplies every I/Q pair by the phasor of its position."""

    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        carrier = oscillator_bank(angular_velocities(d_k, theta), max_seq_len)
        self.cos = carrier.real.astype(np.float32)
        self.sin = carrier.imag.astype(np.float32)

    def _phasors(self, n: Tensor, like: Tensor) -> Tensor:
        """The local oscillator at the sample numbers n, as (re, im) in the last axis."""
        in_phase = Tensor(self.cos, dtype=like.dtype, device=like.device)
        quadrature = Tensor(self.sin, dtype=like.dtype, device=like.device)
        re = F.gather(in_phase, n, axis=0)
        im = F.gather(quadrature, n, axis=0)
        return F.stack([re, im], axis=-1)

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        iq = F.as_interleaved_complex(x)  # [..., seq, pairs, 2]
        mixed = F.complex_mul(iq, self._phasors(token_positions, x))
        return F.reshape(mixed, x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    """A filter bank of num_heads channels, coherent in phase."""

    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.bandwidth = d_model // num_heads
        self.rope = RotaryEmbedding(self.bandwidth, max_seq_len, theta)

    def _split_heads(self, x: Tensor) -> Tensor:
        """Demultiplex: one channel per head."""
        *frame, _ = x.shape
        channels = F.reshape(x, [*frame, self.num_heads, self.bandwidth])
        return F.transpose(channels, -2, -3)

    def _merge_heads(self, x: Tensor) -> Tensor:
        """Multiplex the channels again."""
        return F.flatten(F.transpose(x, -2, -3), start_dim=-2)

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        taps = (q_proj_weight, k_proj_weight, v_proj_weight)
        q, k, v = [self._split_heads(in_features @ w.T) for w in taps]

        # every channel runs on the same clock
        clock = F.unsqueeze(token_positions, -2)
        q = self.rope(q, clock)
        k = self.rope(k, clock)

        causal = causal_mask(in_features.shape[-2], 0, dtype=q.dtype, device=q.device)
        y = scaled_dot_product_attention(q, k, v, mask=causal)[0]
        return self._merge_heads(y) @ o_proj_weight.T
