"""RoPE as multiplication by unit complex numbers: z -> z * exp(i m w)."""

from __future__ import annotations

import math

import numpy as np

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention

# τ exchanges the axes "token" and "head"; τ ∘ τ = id
τ = lambda x: x.transpose(-2, -3)


def times(z, w):
    """(a + ib)(c + is) = (ac - bs) + i(as + bc); Re and Im live in the last axis."""
    a, b = z[..., 0], z[..., 1]
    c, s = w
    return F.stack([a * c - b * s, a * s + b * c], axis=-1)


class RotaryEmbedding(Module):
    """R(m) = diag(exp(i m ω_0), ..., exp(i m ω_{n-1})) on C^n = R^d."""

    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        n = d_k // 2  # dim over C
        i = np.arange(n, dtype=np.float64)
        ω = np.exp(-i / n * math.log(theta))  # θ^(-2i/d) = exp(-(i/n) ln θ)
        m = np.arange(0, max_seq_len)
        φ = m[:, None] * ω[None, :]  # φ_mi = m ω_i
        self.cos, self.sin = (f(φ).astype(np.float32) for f in (np.cos, np.sin))

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        # pull the table back along m: s -> token_positions[s]
        T = lambda f: Tensor(f, dtype=x.dtype, device=x.device)
        at = lambda f: F.gather(T(f), token_positions, axis=0)
        w = at(self.cos), at(self.sin)  # exp(i φ_m)
        z = F.as_interleaved_complex(x)  # R^d = C^n
        return times(z, w).reshape(x.shape)  # C^n = R^d


class MultiHeadSelfAttentionRoPE(Module):
    """y = concat_h softmax(R(m)q · R(n)k / √d + M) v, times O."""

    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_model, self.num_heads = d_model, num_heads
        self.d = d_model // num_heads
        self.rope = RotaryEmbedding(self.d, max_seq_len, theta)

    def _split_heads(self, x: Tensor) -> Tensor:
        # R^(hd) -> (R^d)^h
        *r, _ = x.shape
        return τ(x.reshape([*r, self.num_heads, self.d]))

    def _merge_heads(self, x: Tensor) -> Tensor:
        # (R^d)^h -> R^(hd)
        y = τ(x)
        *r, h, d = y.shape
        return y.reshape([*r, h * d])

    def forward(
        self, q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight, in_features, token_positions
    ) -> Tensor:
        X, m = in_features, token_positions
        S = self._split_heads
        L = lambda A: S(X @ A.T)  # linear maps act on row vectors as x A^T
        P = F.unsqueeze(m, -2)  # one m for all heads
        R = lambda u: self.rope(u, P)
        q, k = R(L(q_proj_weight)), R(L(k_proj_weight))  # R ∘ L
        v = L(v_proj_weight)

        N = X.shape[-2]
        M = causal_mask(N, 0, dtype=X.dtype, device=X.device)
        y, A = scaled_dot_product_attention(q, k, v, M)
        return self._merge_heads(y) @ o_proj_weight.T
