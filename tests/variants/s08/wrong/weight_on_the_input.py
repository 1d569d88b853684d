# concept: affine
# check: affine, numbers
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


class LayerNorm(Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = Tensor.ones([dim])
        self.bias = Tensor.zeros([dim])

    def __call__(self, x):
        x = x * self.weight
        mean = x.mean(axis=-1)
        centered = x - mean
        variance = (centered * centered).mean(axis=-1)
        return centered / F.sqrt(variance + self.eps) + self.bias


def residual(x, norm, sublayer):
    return x + sublayer(norm(x))
