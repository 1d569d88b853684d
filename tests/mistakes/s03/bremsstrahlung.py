"""Attention as a canonical ensemble: energies, inverse temperature, Boltzmann weights."""

from __future__ import annotations

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def overlap(ψ: Tensor, φ: Tensor) -> Tensor:
    """⟨ψᵢ|φⱼ⟩ for all i, j."""
    return F.matmul(ψ, F.transpose(φ, -1, -2))


def β(φ: Tensor) -> float:
    """1/√d."""
    d = int(φ.shape[-1])
    return d**-0.5


def shift(E: Tensor, μ: Tensor | None) -> Tensor:
    """Chemical potential, if any."""
    return E if μ is None else E + μ


def boltzmann(E: Tensor) -> Tensor:
    """exp(E)/Z, row by row."""
    E0 = F.max(E, axis=-1)  # only against overflow
    ω = F.exp(E - E0)
    Z = F.sum(ω, axis=-1)
    return ω / Z


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Expectation of ``value`` in the ensemble of each query, and the ensemble."""
    E = shift(overlap(query, key) * β(key), mask)
    ρ = boltzmann(E)
    return ρ @ value, ρ
