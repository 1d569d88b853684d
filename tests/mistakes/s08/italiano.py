"""Passo 8, in italiano: due momenti, una funzione per ciascuno."""

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


def media(valori: Tensor) -> Tensor:
    return valori.mean(axis=-1)


def momenti(x: Tensor) -> tuple[Tensor, Tensor]:
    """Gli scarti dalla media, e la media dei loro quadrati."""
    scarti = x - media(x)
    quadrati = scarti * scarti
    return scarti, media(quadrati)


class LayerNorm(Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        forma = [dim]
        self.weight, self.bias = Tensor.ones(forma), Tensor.zeros(forma)

    def _scala(self, varianza: Tensor) -> Tensor:
        stabile = varianza + self.eps
        return 1 / F.sqrt(stabile)

    def __call__(self, x: Tensor) -> Tensor:
        scarti, varianza = momenti(x)
        ridotto = scarti * self._scala(varianza)
        return self._affine(ridotto)

    def _affine(self, ridotto: Tensor) -> Tensor:
        pesato = self.weight * ridotto
        return pesato + self.bias


def residual(x, norm, sublayer):
    ramo = sublayer(norm(x))
    uscita = ramo + x
    return uscita
