"""Étape 8 : normaliser, puis ajouter."""

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


class LayerNorm(Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.dimension = dim
        self.weight = Tensor.ones([dim])
        self.bias = Tensor.zeros([dim])

    def forward(self, entree):
        somme = F.sum(entree, axis=-1)
        moyenne = somme / self.dimension
        ecart = entree - moyenne
        carre = ecart * ecart
        variance = F.sum(carre, axis=-1) / self.dimension
        facteur = F.rsqrt(variance + self.eps)
        sortie = ecart * facteur
        sortie = sortie * self.weight
        sortie = sortie + self.bias
        return sortie


def residual(x, norm, sublayer):
    propre = norm(x)
    trouve = sublayer(propre)
    return trouve + x
