from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

Transform = Callable[[Tensor], Tensor]


def pipe(x: Tensor, *stages: Transform) -> Tensor:
    return reduce(lambda acc, stage: stage(acc), stages, x)


class LayerNorm(Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight, self.bias = Tensor.ones([dim]), Tensor.zeros([dim])

    def _center(self, x: Tensor) -> Tensor:
        return x - x.mean(axis=-1)

    def _standardize(self, c: Tensor) -> Tensor:
        var = F.mean(F.pow(c, 2.0), axis=-1)
        inv_std = F.rsqrt(var + self.eps)
        return c * inv_std

    def _affine(self, n: Tensor) -> Tensor:
        scaled = n * self.weight
        return scaled + self.bias

    def __call__(self, x: Tensor) -> Tensor:
        return pipe(x, self._center, self._standardize, self._affine)


def residual(
    x: Tensor, norm: Callable[[Tensor], Tensor], sublayer: Callable[[Tensor], Tensor]
) -> Tensor:
    delta = pipe(x, norm, sublayer)
    return x + delta
