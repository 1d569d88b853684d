# concept: multiplied
# check: normalize, numbers, fresh
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
        centered = x - x.mean(-1)
        scale = F.rsqrt((centered**2).mean(-1) + self.eps)
        return self.bias + self.weight * (centered / scale)


def residual(x, norm, sublayer):
    return x + sublayer(norm(x))
