# concept: normalized-residual
# check: residual, residual-numbers
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
        print("x", x.shape, "weight", self.weight.shape)
        mean = x.mean(axis=-1)
        print("mean", mean.shape)
        centered = x - mean
        variance = (centered * centered).mean(axis=-1)
        print("variance", variance.shape)
        return centered / F.sqrt(variance + self.eps) * self.weight + self.bias


def residual(x, norm, sublayer):
    print("before", x.shape)
    x = norm(x)
    y = sublayer(x)
    print("after", y.shape)
    return x + y
