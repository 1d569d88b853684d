"""Normalisation écrite pas à pas, avec des sommes."""

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


class LayerNorm(Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.n = dim
        self.eps = eps
        self.weight = Tensor.ones([self.n])
        self.bias = Tensor.zeros([self.n])

    def _moyenne(self, t):
        total = F.sum(t, axis=-1)
        return total / self.n

    def _etendue(self, ecart):
        carre = ecart**2
        return F.sqrt(self._moyenne(carre) + self.eps)

    def forward(self, x):
        centre = self._moyenne(x)
        ecart = x - centre
        reduit = ecart / self._etendue(ecart)
        return self.bias + self.weight * reduit


def residual(x, norm, sublayer):
    entree = norm(x)
    return sublayer(entree) + x
