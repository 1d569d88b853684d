# concept: eps-squared
# check: normalize, numbers
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


def _mean(x):
    return x.mean(axis=-1)


def _variance(x):
    centered = x - _mean(x)
    return _mean(centered * centered)


def _normalize(x, eps):
    return (x - _mean(x)) / F.sqrt(_variance(x) + eps * eps)


class LayerNorm(Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = Tensor.ones([dim])
        self.bias = Tensor.zeros([dim])

    def __call__(self, x):
        return _normalize(x, self.eps) * self.weight + self.bias


def residual(x, norm, sublayer):
    return x + sublayer(norm(x))
