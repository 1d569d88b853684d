"""L'equilibre: deux passages pour la moyenne, et les etapes sont un generateur."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


class Parametres(Module):
    """Facteur et decalage de chaque caracteristique."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        un, zero = np.ones(dim, np.float32), np.zeros(dim, np.float32)
        self.weight = Tensor(un)
        self.bias = Tensor(zero)

    def ajuste(self, x: Tensor) -> Tensor:
        return x * self.weight + self.bias


class LayerNorm(Parametres):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__(dim)
        self.eps = eps
        self.dim = dim

    def _etapes(self, x: Tensor) -> Iterator[Tensor]:
        n = 1 / self.dim
        centre = x - n * x.sum(axis=-1)
        # un second passage enleve ce que l'arrondi a laisse
        centre = centre - n * centre.sum(axis=-1)
        yield centre
        variance = n * (centre * centre).sum(axis=-1)
        racine = F.sqrt(variance + self.eps)
        yield centre / racine

    def __call__(self, x: Tensor) -> Tensor:
        derniere = x
        for etape in self._etapes(x):
            derniere = etape
        return self.ajuste(derniere)


def residual(
    x: Tensor, norm: Callable[[Tensor], Tensor], sublayer: Callable[[Tensor], Tensor]
) -> Tensor:
    def change(entree: Tensor) -> Tensor:
        if not callable(sublayer):
            raise TypeError("sublayer doit s'appeler comme une fonction")
        if (lisse := norm(entree)) is entree:
            lisse = entree
        return sublayer(lisse)

    return change(x) + x
