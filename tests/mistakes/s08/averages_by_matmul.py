"""Averages as products with a column of equal shares."""

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


class LayerNorm(Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.width = dim
        self.epsilon = eps
        self.weight = Tensor.ones([dim])
        self.bias = Tensor.zeros([dim])

    def average(self, rows: Tensor) -> Tensor:
        share = 1.0 / self.width
        column = Tensor.full([self.width, 1], share)
        return rows @ column

    def __call__(self, x: Tensor) -> Tensor:
        flat = x.reshape([-1, self.width])
        flat = flat - self.average(flat)
        spread = self.average(flat**2)
        std = F.sqrt(spread + self.epsilon)
        flat = flat / std
        flat = flat * self.weight
        flat = flat + self.bias
        return flat.reshape(x.shape)


def residual(x: Tensor, norm, sublayer) -> Tensor:
    shortcut = x
    x = norm(x)
    x = sublayer(x)
    return shortcut + x
