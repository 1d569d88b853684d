# concept: variance
# check: variance, numbers, fresh
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
        mean = F.mean(x, axis=-1)
        variance = F.mean(x * x, axis=-1) + mean * mean
        return (x - mean) / F.sqrt(variance + self.eps) * self.weight + self.bias


def residual(x, norm, sublayer):
    return x + sublayer(norm(x))
