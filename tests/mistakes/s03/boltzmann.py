"""Step 03, attention as a canonical ensemble.

Indices: i runs over the queries <q_i|, j over the keys |k_j>, mu over the head_dim components,
alpha over the value_dim components.

    E_ij   = - sum_mu q_i^mu k_j^mu = - <q_i|k_j>      energy of query i in the state j
    beta   = 1 / sqrt(d)                               because Var(E) = d for unit variance
    p_ij   = exp(-beta E_ij + m_ij) / Z_i              Boltzmann weights
    o_i^alpha = sum_j p_ij v_j^alpha                   expectation value
"""

from __future__ import annotations

import math

import max.experimental.functional as F
from max.experimental.tensor import Tensor

MU_AXIS = -1  # components
STATE_AXIS = -2  # the vectors themselves, in queries, keys and values
J_AXIS = -1  # states j in an energy matrix E_ij


def inverse_temperature(bra: Tensor) -> float:
    """beta = d^(-1/2).

    Derivation: <E> = 0, <E^2> = sum_mu <q^2><k^2> = d, so sigma_E = sqrt(d).
    """
    d = int(bra.shape[MU_AXIS])
    sigma_energy = math.sqrt(d)
    return 1.0 / sigma_energy


def energy(bra: Tensor, ket: Tensor) -> Tensor:
    """E_ij = - <q_i|k_j>, as a Gram matrix."""
    ket_dagger = F.transpose(ket, MU_AXIS, STATE_AXIS)  # real, so only a transpose
    gram = F.matmul(bra, ket_dagger)
    return -gram


def boltzmann(energy_ij: Tensor, beta: float, log_degeneracy: Tensor | None) -> Tensor:
    """p_ij = g_ij exp(-beta E_ij) / Z_i with log g_ij = m_ij; forbidden states have g = 0."""
    exponent = -beta * energy_ij
    if log_degeneracy is None:
        pass  # g = 1 everywhere
    else:
        exponent = exponent + log_degeneracy
    # Z_i = sum_j exp(exponent_ij): softmax divides by it
    p_ij = F.softmax(exponent, axis=J_AXIS)
    return p_ij


def expectation(p_ij: Tensor, observable: Tensor) -> Tensor:
    """o_i^alpha = sum_j p_ij v_j^alpha."""
    return F.matmul(p_ij, observable)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Return the expectation values o_i and the probabilities p_ij."""
    beta = inverse_temperature(query)
    energy_ij = energy(query, key)
    p_ij = boltzmann(energy_ij, beta, log_degeneracy=mask)
    o_i = expectation(p_ij, value)
    return o_i, p_ij
