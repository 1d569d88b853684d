# concept: weight
# check: weight, fresh
import max.experimental.functional as fn
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


class LayerNorm(Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps
        self.weight = Tensor.full([dim], 1.0 / dim)
        self.bias = Tensor.full([dim], 0.0)

    def __call__(self, x: Tensor) -> Tensor:
        return fn.layer_norm(x, self.weight, self.bias, self.eps)


def residual(x, norm, sublayer):
    normalized = norm(x)
    change = sublayer(normalized)
    return x + change
