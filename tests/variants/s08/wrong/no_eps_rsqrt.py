# concept: no-eps
# check: normalize, numbers, equal
import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


class LayerNorm(Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = float(eps)
        self.weight = Tensor.from_dlpack(np.ones(dim, dtype=np.float32))
        self.bias = Tensor.from_dlpack(np.zeros(dim, dtype=np.float32))

    def __call__(self, x):
        mean = x.mean(axis=-1)
        variance = ((x - mean) ** 2).mean(axis=-1)
        return (x - mean) * F.rsqrt(variance) * self.weight + self.bias


def residual(x, norm, sublayer):
    return x + sublayer(norm(x))
