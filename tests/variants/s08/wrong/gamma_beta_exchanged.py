# concept: weight-bias-exchanged
# check: affine, numbers, fresh
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


class LayerNorm(Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = Tensor.ones([dim])
        self.bias = Tensor.zeros([dim])

    def forward(self, x):
        return F.layer_norm(x, gamma=self.bias, beta=self.weight, epsilon=self.eps)


def residual(x, norm, sublayer):
    return x + sublayer(norm(x))
