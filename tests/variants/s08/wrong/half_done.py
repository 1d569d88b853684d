# concept: placeholders
# check: mean, variance, normalize, placeholders, runs, residual
from collections.abc import Callable

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


class LayerNorm(Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = Tensor.ones([dim])
        self.bias = Tensor.zeros([dim])

    def __call__(self, x: Tensor) -> Tensor:
        mean = x.mean(axis=-1)
        centered = x - mean
        variance = None
        normalized = None
        return None


def residual(x, norm, sublayer):
    return None
