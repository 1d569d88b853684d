"""Layer norm and residual, the way I would write it in Go: small steps, plain names."""

from typing import Callable

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

Layer = Callable[[Tensor], Tensor]

FEATURES = -1  # the axis of one token's numbers


def stats(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return mean and variance of each vector."""
    m = x.mean(axis=FEATURES)
    sq = x * x
    v = sq.mean(axis=FEATURES) - m * m
    return m, v


def center(x: Tensor) -> Tensor:
    m = x.mean(axis=FEATURES)
    return x - m


class LayerNorm(Module):
    def __init__(self, dim: int, eps: float = 1e-5):
        super().__init__()
        shape = [dim]
        self.eps = eps
        self.weight = Tensor.ones(shape)
        self.bias = Tensor.zeros(shape)

    def forward(self, x: Tensor) -> Tensor:
        # Center first, so that the variance does not cancel.
        d = center(x)
        _, v = stats(d)
        inv = F.rsqrt(v + self.eps)
        y = d * inv
        y = y * self.weight
        y = y + self.bias
        return y


def residual(x: Tensor, norm: Layer, sublayer: Layer) -> Tensor:
    h = norm(x)
    h = sublayer(h)
    out = x + h
    return out
