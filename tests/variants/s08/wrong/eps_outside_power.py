# concept: eps-outside
# check: normalize, numbers, equal
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


class LayerNorm(Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = Tensor.ones([dim])
        self.bias = Tensor.zeros([dim])

    def forward(self, x):
        mu = x.mean(axis=-1)
        var = ((x - mu) ** 2).mean(axis=-1)
        x_hat = (x - mu) / (var**0.5 + self.eps)
        return x_hat * self.weight + self.bias


def residual(x, norm, sublayer):
    return x + sublayer(norm(x))
