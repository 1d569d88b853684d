from max.experimental.nn import Module
from max.experimental.tensor import Tensor


class LayerNorm(Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = Tensor.ones([dim])
        self.bias = Tensor.zeros([dim])

    def forward(self, x):
        mu = x.mean()
        d = x - mu
        return d * ((d * d).mean() + self.eps) ** -0.5 * self.weight + self.bias


def residual(x, norm, sublayer):
    x = x + sublayer(norm(x))
    return x
