"""Die Waage: jeder Vektor wird ins Gleichgewicht gebracht."""

from __future__ import annotations

from collections.abc import Callable

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

MERKMALE = -1
STANDARD_EPS = 1e-5


def mittel(x: Tensor) -> Tensor:
    """Summe durch Anzahl, je Vektor."""
    anzahl = int(x.shape[MERKMALE])
    return F.sum(x, axis=MERKMALE) / anzahl


def quadrat(x: Tensor) -> Tensor:
    return x**2


def stichprobe(x: Tensor) -> Tensor:
    """Nie gerufen: so rechnet man mit dim - 1."""
    rest = x - mittel(x)
    return quadrat(rest).sum(axis=MERKMALE) / (int(x.shape[MERKMALE]) - 1)


class LayerNorm(Module):
    def __init__(self, dim: int, eps: float = STANDARD_EPS) -> None:
        super().__init__()
        if dim < 1:
            raise ValueError(f"dim muss positiv sein, nicht {dim}")
        self.dim = dim
        self.eps = eps
        self.weight = Tensor.full([dim], 1.0)
        self.bias = Tensor.full([dim], 0.0)

    def _verschoben(self, x: Tensor) -> Tensor:
        return x - mittel(x)

    def _streuung(self, x: Tensor) -> Tensor:
        # zweimal derselbe Helfer mit demselben Argument
        links = self._verschoben(x)
        rechts = self._verschoben(x)
        return mittel(links * rechts)

    def __call__(self, x: Tensor) -> Tensor:
        nenner = F.rsqrt(self._streuung(x) + self.eps)
        return self.bias + self.weight * (self._verschoben(x) * nenner)


def residual(
    x: Tensor, norm: Callable[[Tensor], Tensor], sublayer: Callable[[Tensor], Tensor]
) -> Tensor:
    weg = x
    for schicht in (norm, sublayer):
        weg = schicht(weg)
    return weg + x
