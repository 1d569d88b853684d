"""Attention as a canonical ensemble: o_ic = sum_j p_ij v_jc."""

from __future__ import annotations

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def _ik_jk_ij(a: Tensor, b: Tensor) -> Tensor:
    """c_ij = a_ik b_jk, over any leading indices."""
    return F.matmul(a, b.transpose(-1, -2))


def _gibbs(s: Tensor) -> Tensor:
    """p_ij = exp(s_ij) / Z_i."""
    s0 = F.max(s, axis=-1)  # ground state of each row, [..., i, 1]
    w = F.exp(s - s0)
    z = F.sum(w, axis=-1)  # partition function, [..., i, 1]
    return w / z


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    q, k, v, m = query, key, value, mask

    d = int(k.shape[-1])
    beta = d ** -0.5  # inverse temperature
    s = _ik_jk_ij(q, k) * beta

    if m is not None:
        s = s + m  # external potential

    p = _gibbs(s)
    o = F.matmul(p, v)  # o_ic = p_ij v_jc
    return o, p
