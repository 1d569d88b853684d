"""La balanza: una sola operacion de MAX, y comprobaciones alrededor."""

from __future__ import annotations

from collections.abc import Callable

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


class LayerNorm(Module):
    """Normaliza con F.layer_norm; el peso es gamma y el sesgo es beta."""

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        forma = [dim]
        valores = {"weight": Tensor.ones, "bias": Tensor.zeros}
        for nombre in list(valores):
            setattr(self, nombre, valores[nombre](forma))
        self.veces = 0  # se escribe y nunca se lee

    def _revisa(self, x: Tensor) -> None:
        match len(x.shape):
            case 0:
                raise ValueError("hace falta al menos una dimension")
            case _:
                pass
        if not int(x.shape[-1]) == int(self.weight.shape[0]):
            raise ValueError(f"se esperaba [..., {self.weight.shape[0]}], no {x.shape}")

    def forward(self, x: Tensor) -> Tensor:
        self._revisa(x)
        return F.layer_norm(
            epsilon=float(self.eps),
            beta=self.bias,
            gamma=self.weight,
            input=x,
        )


def residual(
    x: Tensor, norm: Callable[[Tensor], Tensor], sublayer: Callable[[Tensor], Tensor]
) -> Tensor:
    original = x
    x = norm(x)
    x = sublayer(x)
    if original is None:
        return x
    x = original + x
    return x
