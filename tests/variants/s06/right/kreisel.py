"""Drehende Anfragen und Schluessel: die Tabelle ist eine komplexe Zahl je Winkel."""

from __future__ import annotations

import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


def einheitskreis(theta: float, d_k: int, laenge: int) -> np.ndarray:
    """e^(i * Winkel), [laenge, d_k / 2]."""
    paar = np.arange(d_k // 2)
    winkel = np.arange(laenge)[:, None] / np.power(float(theta), 2 * paar / d_k)[None, :]
    return np.exp(1j * winkel)


class RotaryEmbedding(Module):
    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        if d_k % 2 == 1:
            raise ValueError(f"d_k muss gerade sein, nicht {d_k}")
        kreis = einheitskreis(theta, d_k, max_seq_len)
        self.cos = kreis.real.astype(np.float32)
        self.sin = kreis.imag.astype(np.float32)

    def _zeilen(self, tabelle: np.ndarray, x: Tensor, wo: Tensor) -> Tensor:
        return F.gather(Tensor(tabelle, dtype=x.dtype, device=x.device), wo, axis=0)

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        c = self._zeilen(self.cos, x, token_positions)
        s = self._zeilen(self.sin, x, token_positions)
        halb = self.cos.shape[-1]
        paare = x.reshape(x.shape[:-1] + [halb, 2])
        a, b = paare[..., 0], paare[..., 1]
        neu_b = b * c + a * s
        neu_a = a * c - b * s
        return F.stack([neu_a, neu_b], axis=-1).reshape(x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.d_model = d_model
        self.d_k = d_model // num_heads
        self.rope = RotaryEmbedding(theta=theta, d_k=self.d_k, max_seq_len=max_seq_len)

    def _split_heads(self, x: Tensor) -> Tensor:
        *vorne, _ = x.shape
        return x.reshape([*vorne, self.num_heads, self.d_k]).transpose(-2, -3)

    def _merge_heads(self, x: Tensor) -> Tensor:
        y = x.transpose(-2, -3)
        *vorne, _, _ = y.shape
        return y.reshape([*vorne, self.num_heads * self.d_k])

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        q, k, v = (
            self._split_heads(in_features @ w.transpose(0, 1))
            for w in [q_proj_weight, k_proj_weight, v_proj_weight]
        )
        wo = token_positions.unsqueeze(-2)
        q, k = (self.rope(t, wo) for t in (q, k))
        maske = causal_mask(k.shape[-2], 0, dtype=k.dtype, device=k.device)
        ergebnis = scaled_dot_product_attention(q, k, v, mask=maske)[0]
        return self._merge_heads(ergebnis) @ o_proj_weight.transpose(0, 1)
