from __future__ import annotations

from collections.abc import Callable

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


def mittelwert(x: Tensor) -> Tensor:
    return x.mean(axis=-1)


class LayerNorm(Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = Tensor.ones([dim])
        self.bias = Tensor.zeros([dim])

    def forward(self, x: Tensor) -> Tensor:
        mitte = mittelwert(x)
        streuung = mittelwert((x - mitte) * (x - mitte))
        kehrwert = F.rsqrt(streuung + self.eps)
        x = (x - mitte) * kehrwert
        return self.weight * x + self.bias


def residual(
    x: Tensor, norm: Callable[[Tensor], Tensor], sublayer: Callable[[Tensor], Tensor]
) -> Tensor:
    kopie = norm(x)
    zusatz = sublayer(kopie)
    return x + zusatz
