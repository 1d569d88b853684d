# concept: normalize
# check: normalize, numbers, equal, fresh
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


class LayerNorm(Module):
    def __init__(self, dim, eps=1e-3):
        super().__init__()
        self.eps = eps
        self.weight = F.ones([dim])
        self.bias = F.zeros([dim])

    def __call__(self, x):
        centered = F.sub(x, F.mean(x, axis=-1))
        variance = F.mean(F.mul(centered, centered), axis=-1)
        normalized = F.div(centered, F.sqrt(F.add(variance, self.eps)))
        return F.add(F.mul(normalized, self.weight), self.bias)


def residual(x, norm, sublayer):
    return F.add(x, sublayer(norm(x)))
