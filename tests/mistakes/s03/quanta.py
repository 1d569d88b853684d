"""Attention as statistical mechanics: keys are states, queries see energies."""

from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def t(a: Tensor) -> Tensor:
    """a_ij -> a_ji, any number of indices in front."""
    return a.transpose(-1, -2)


def boltzmann(E: Tensor) -> Tensor:
    """p_j = exp(-E_j) / Z, energies measured from the ground state."""
    g = F.min(E, axis=-1)  # MAX keeps the axis, with length 1
    w = F.exp(g - E)
    Z = F.sum(w, axis=-1)
    return w / Z


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Thermal average of the values, and the occupation p."""
    q, k, v = query, key, value
    d = int(q.shape[-1])
    b = 1 / math.sqrt(d)  # inverse temperature
    E = (q @ t(k)) * -b
    if mask is not None:
        E = E - mask  # forbidden states have infinite energy
    p = boltzmann(E)
    return p @ v, p
