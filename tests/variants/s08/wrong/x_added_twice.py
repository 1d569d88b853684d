# concept: residual-twice
# check: residual, residual-numbers
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


class LayerNorm(Module):
    weight: Tensor
    bias: Tensor
    eps: float

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps: float = eps
        self.weight: Tensor = Tensor.ones([dim])
        self.bias: Tensor = Tensor.zeros([dim])

    def forward(self, x: Tensor) -> Tensor:
        mean: Tensor = x.mean(axis=-1)
        centered: Tensor = x - mean
        variance: Tensor = (centered * centered).mean(axis=-1)
        return centered / F.sqrt(variance + self.eps) * self.weight + self.bias


def residual(x: Tensor, norm, sublayer) -> Tensor:
    out: Tensor = x
    out += x + sublayer(norm(x))
    return out
