from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


def prumer(vektory, delka):
    soucet = F.sum(vektory, axis=-1)
    return soucet / delka


class LayerNorm(Module):
    """Normalizace vrstvy."""

    weight: Tensor
    bias: Tensor

    def __init__(self, dim: int, eps: float = 1e-5):
        super().__init__()
        self.dim = dim
        self.eps = eps
        tvar = (dim,)
        self.weight = Tensor.full(tvar, 1.0, dtype=DType.float32)
        self.bias = Tensor.full(tvar, 0.0, dtype=DType.float32)

    def _stred(self, x: Tensor) -> Tensor:
        return x - prumer(x, self.dim)

    def _rozptyl(self, odchylky: Tensor) -> Tensor:
        ctverce = F.pow(odchylky, 2)
        return prumer(ctverce, self.dim)

    def __call__(self, x: Tensor) -> Tensor:
        odchylky = self._stred(x)
        rozptyl = self._rozptyl(odchylky)
        meritko = F.rsqrt(rozptyl + self.eps)
        hotovo = odchylky * meritko
        hotovo = hotovo * self.weight
        hotovo = hotovo + self.bias
        return hotovo


def residual(x, norm, sublayer):
    puvodni = x
    upravene = norm(x)
    nove = sublayer(upravene)
    return puvodni + nove
