from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


class LayerNorm(Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.dim, self.eps = dim, eps
        self.weight = Tensor.full([dim], 1.0)
        self.bias = Tensor.full([dim], 0.0)

    def __call__(self, x):
        return (
            (c := x - F.sum(x, axis=-1) / self.dim)
            / F.sqrt(F.mean(F.pow(c, 2), axis=-1) + self.eps)
            * self.weight
            + self.bias
        )


residual = lambda x, norm, sublayer: F.add(x, sublayer(norm(x)))
