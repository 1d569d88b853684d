"""Step 08 for readers who like types: moments, standardization, affine map, residual."""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

import max.experimental.functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

__all__ = ["LayerNorm", "residual"]

FEATURES: Final = -1


class Layer(Protocol):
    """Anything that maps a tensor to one of the same shape."""

    def __call__(self, x: Tensor, /) -> Tensor: ...


class Moments(NamedTuple):
    """Mean and variance of each vector, both ``[..., 1]``."""

    mean: Tensor
    variance: Tensor


def moments(x: Tensor, *, axis: int = FEATURES) -> Moments:
    deviation = x - (mean := F.mean(x, axis=axis))
    return Moments(mean=mean, variance=F.mean(deviation * deviation, axis=axis))


def standardize(x: Tensor, *, eps: float) -> Tensor:
    """Bring every vector to mean 0 and variance 1."""
    mean, variance = moments(x)
    return (x - mean) / F.sqrt(variance + eps)


class LayerNorm(Module):
    """Normalize the last dimension, then apply ``weight`` and ``bias``."""

    weight: Tensor
    bias: Tensor

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        assert dim > 0, f"{dim=} must be positive"
        self.dim: Final = dim
        self.eps: Final = eps
        self.bias = Tensor.zeros([dim])
        self.weight = Tensor.ones_like(self.bias)

    def forward(self, x: Tensor) -> Tensor:
        assert (width := int(x.shape[FEATURES])) == self.dim, f"{width} != {self.dim}"
        return self._affine(standardize(x, eps=self.eps))

    def _affine(self, unit: Tensor) -> Tensor:
        return self.bias + self.weight * unit


def residual(x: Tensor, norm: Layer, sublayer: Layer) -> Tensor:
    """Pre-norm: the sublayer reads the normalized copy, ``x`` bypasses both."""
    change: Tensor = sublayer(norm(x))
    assert change.shape == x.shape, f"{change.shape} != {x.shape}"
    return x + change
