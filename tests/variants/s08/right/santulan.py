"""Santulan: ek hi lambi ganana, aur residual ke liye ek chhoti class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


@dataclass
class Aankde:
    """Ek vector ke aankde."""

    ausat: Tensor
    phailav: Tensor

    @staticmethod
    def naapo(x: Tensor, aksh: int) -> Aankde:
        ausat = F.mean(x, axis=aksh)
        antar = ausat - x  # ulta chinh; varg mein koi fark nahi
        return Aankde(phailav=F.mean(antar * antar, axis=aksh), ausat=ausat)


class LayerNorm(Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.bias = Tensor.zeros([dim])
        self.weight = Tensor.ones([dim])

    def __call__(self, x: Tensor) -> Tensor:
        aksh = len(x.shape) - 1
        a = Aankde.naapo(x, aksh)
        new_a = F.sqrt(self.eps + a.phailav)
        # (x - m) / s * w + b == x * (w / s) ka khisakna; pehle kendra, phir guna
        b = x - a.ausat
        new_b = (self.weight / new_a) * b
        return F.add(new_b, self.bias)


@dataclass
class Pul:
    """x seedhe jaata hai, badlav upar se judta hai."""

    seedha: Tensor
    badlav: Tensor | None = None

    def jodo(self) -> Tensor:
        if self.badlav is None:
            return self.seedha
        return F.add(self.seedha, self.badlav)


def residual(
    x: Tensor, norm: Callable[[Tensor], Tensor], sublayer: Callable[[Tensor], Tensor]
) -> Tensor:
    pul = Pul(seedha=x)
    pul.badlav = sublayer(norm(pul.seedha))
    return pul.jodo()
