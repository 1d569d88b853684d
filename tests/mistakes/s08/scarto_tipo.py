"""Standardizzazione delle variabili di ogni token, e connessione residua."""

from __future__ import annotations

from collections.abc import Callable

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


def numerosita(x: Tensor) -> int:
    """Quante osservazioni: una per ogni feature del token."""
    return int(x.shape[-1])


def media(x: Tensor) -> Tensor:
    somma = F.sum(x, axis=-1)
    return somma / numerosita(x)


def scarto(x: Tensor) -> Tensor:
    """Scarto di ogni valore dalla media del suo vettore."""
    return x - media(x)


def varianza(x: Tensor) -> Tensor:
    """Varianza della popolazione: media degli scarti al quadrato."""
    return media(scarto(x) ** 2)


def punteggio_zeta(x: Tensor, epsilon: float) -> Tensor:
    """Valori standardizzati: scarto diviso per lo scarto quadratico medio."""
    precisione = F.rsqrt(varianza(x) + epsilon)
    return scarto(x) * precisione


def residual(
    x: Tensor, norm: Callable[[Tensor], Tensor], sublayer: Callable[[Tensor], Tensor]
) -> Tensor:
    """Il segnale osservato più la correzione stimata dal sottostrato."""
    correzione = sublayer(norm(x))
    return x + correzione


class LayerNorm(Module):
    """Media 0 e varianza 1 per token, poi scala e posizione apprese."""

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight = Tensor.full([dim], 1.0)
        self.bias = Tensor.full([dim], 0.0)
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        zeta = punteggio_zeta(x, epsilon=self.eps)
        return zeta * self.weight + self.bias
