"""Normalisation et connexion residuelle."""

from __future__ import annotations

from collections.abc import Callable

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


def moyenne(t: Tensor) -> Tensor:
    return t.mean(axis=-1)


class LayerNorm(Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        taille = [dim]
        self.bias = Tensor.zeros(taille)
        self.weight = Tensor.ones(taille)

    def __call__(self, x: Tensor) -> Tensor:
        ecart = x - moyenne(x)
        var = moyenne(ecart * ecart)
        inverse = F.rsqrt(var + self.eps)
        return ecart * inverse * self.weight + self.bias


def residual(
    x: Tensor, norm: Callable[[Tensor], Tensor], sublayer: Callable[[Tensor], Tensor]
) -> Tensor:
    copie = norm(x)
    ajout = sublayer(copie)
    return ajout + x
