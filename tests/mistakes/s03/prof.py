"""L'attention vue par un physicien : une distribution de Boltzmann sur les clés."""

from __future__ import annotations

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def energies(requetes: Tensor, cles: Tensor, beta: float) -> Tensor:
    recouvrement = F.matmul(requetes, F.transpose(cles, -2, -1))
    return -beta * recouvrement


def boltzmann(energie: Tensor) -> Tensor:
    """exp(-E) / Z, le niveau fondamental ramené à zéro."""
    fondamental = F.min(energie, axis=-1)
    facteurs = F.exp(fondamental - energie)
    z = F.sum(facteurs, axis=-1)
    return facteurs / z


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    dimension = int(key.shape[-1])
    beta = dimension**-0.5
    energie = energies(query, key, beta)
    if mask is not None:
        energie = energie - mask
    poids = boltzmann(energie)
    moyenne = F.matmul(poids, value)
    return moyenne, poids
