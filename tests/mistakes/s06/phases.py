"""Step 06: rotary position embedding.

A pair of features is one sample of a complex signal. Turning it by an angle is a phase shift: a
multiplication with the phasor e^(j phi). Pair i is an oscillator with the angular frequency
omega_i, and the position of the token is the time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


class Phasor(NamedTuple):
    """Real and imaginary part of complex samples."""

    re: Tensor
    im: Tensor

    def shifted_by(self, other: Phasor) -> Phasor:
        """Complex product: the phases add, magnitudes of 1 change nothing."""
        return Phasor(
            self.re * other.re - self.im * other.im,
            self.re * other.im + self.im * other.re,
        )


def oscillator_bank(channels: int, length: int, theta: float) -> np.ndarray:
    """e^(j omega t) of all oscillators, one row for every time: complex [length, channels]."""
    omega = np.power(theta, -np.arange(channels) / channels)
    t = np.arange(length)
    return np.exp(1j * t[:, None] * omega[None, :])


class RotaryEmbedding(Module):
    """Shifts the phase of every pair of features by its oscillator."""

    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        bank = oscillator_bank(d_k // 2, max_seq_len, theta)
        # In phase and in quadrature. NumPy arrays, so that they are no weights.
        self.cos = bank.real.astype(np.float32)
        self.sin = bank.imag.astype(np.float32)

    def _at(self, times: Tensor, x: Tensor) -> Phasor:
        """The phasors of the given positions: parts [..., seq, d_k / 2]."""
        tables = (Tensor(part, dtype=x.dtype, device=x.device) for part in (self.cos, self.sin))
        return Phasor(*(F.gather(table, times, axis=0) for table in tables))

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        samples = F.as_interleaved_complex(x)  # [..., seq, d_k / 2, 2]
        signal = Phasor(samples[..., 0], samples[..., 1])
        shifted = signal.shifted_by(self._at(token_positions, x))
        return F.stack(list(shifted), axis=-1).reshape(x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    """Causal self-attention; query and key are phase-shifted before they are correlated."""

    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.rope = RotaryEmbedding(self.d_k, max_seq_len, theta)

    def _split_heads(self, x: Tensor) -> Tensor:
        """One bus to many tracks: [..., num_heads, seq, d_k]."""
        *lead, seq, _ = x.shape
        tracks = x.reshape([*lead, seq, self.num_heads, self.d_k])
        return tracks.transpose(-2, -3)

    def _merge_heads(self, x: Tensor) -> Tensor:
        """Mix the tracks down to one bus: [..., seq, d_model]."""
        *lead, _, seq, _ = x.shape
        return x.transpose(-2, -3).reshape([*lead, seq, self.d_model])

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        times = token_positions.unsqueeze(-2)  # the same clock for every track

        def track(weight: Tensor) -> Tensor:
            return self._split_heads(in_features @ weight.transpose(0, 1))

        q = self.rope(track(q_proj_weight), times)
        k = self.rope(track(k_proj_weight), times)
        v = track(v_proj_weight)

        gate = causal_mask(q.shape[-2], 0, dtype=q.dtype, device=q.device)
        mixed, _weights = scaled_dot_product_attention(q, k, v, mask=gate)

        return self._merge_heads(mixed) @ o_proj_weight.transpose(0, 1)
