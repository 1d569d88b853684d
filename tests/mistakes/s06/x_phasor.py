"""Step 06: rotary positions. Every pair of features is a phasor that turns with the token."""

from __future__ import annotations

import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


class RotaryEmbedding(Module):
    """alpha-beta plane, one phasor per pair of features."""

    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        pole_pairs = d_k // 2
        omega = np.power(float(theta), -np.arange(pole_pairs) / pole_pairs)  # rad per token
        time = np.arange(max_seq_len).reshape(-1, 1)
        phasor = np.exp(1j * omega * time)  # [max_seq_len, d_k / 2]
        self.cos = phasor.real.astype(np.float32)
        self.sin = phasor.imag.astype(np.float32)

    def _sample(self, table: np.ndarray, times: Tensor, like: Tensor) -> Tensor:
        """Rows of a table at these instants."""
        return F.gather(Tensor(table, dtype=like.dtype, device=like.device), times, axis=0)

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        c = self._sample(self.cos, token_positions, x)
        s = self._sample(self.sin, token_positions, x)

        plane = x.reshape(x.shape[:-1] + [x.shape[-1] // 2, 2])
        alpha = plane[..., 0]
        beta = plane[..., 1]

        re = alpha * c - beta * s
        im = beta * c + alpha * s
        turned = F.concat([re.unsqueeze(-1), im.unsqueeze(-1)], axis=-1)
        return turned.reshape(x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    """num_heads small machines on one shaft."""

    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_model, self.num_heads = d_model, num_heads
        self.rope = RotaryEmbedding(d_model // num_heads, max_seq_len, theta)

    def _split_heads(self, x: Tensor) -> Tensor:
        *lead, seq, _ = x.shape
        slots = x.reshape([*lead, seq, self.num_heads, self.d_model // self.num_heads])
        return slots.transpose(-3, -2)

    def _merge_heads(self, x: Tensor) -> Tensor:
        *lead, _, seq, _ = x.shape
        return x.transpose(-3, -2).reshape([*lead, seq, self.d_model])

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        def winding(weight: Tensor) -> Tensor:
            return self._split_heads(in_features @ weight.transpose(0, 1))

        stator = winding(q_proj_weight)
        rotor = winding(k_proj_weight)
        torque = winding(v_proj_weight)

        t = token_positions.unsqueeze(-2)  # the same instant for every head
        stator, rotor = (self.rope(w, t) for w in (stator, rotor))

        length = in_features.shape[-2]
        mask = causal_mask(length, 0, dtype=stator.dtype, device=stator.device)
        coupled, _ = scaled_dot_product_attention(stator, rotor, torque, mask)
        return self._merge_heads(coupled) @ o_proj_weight.transpose(0, 1)
