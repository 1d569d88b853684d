"""Atención con un softmax escrito a mano."""

from __future__ import annotations

from max.experimental import functional as F
from max.experimental.tensor import Tensor

ULTIMA = -1
PENULTIMA = -2


def pesos_de(puntos: Tensor, eje: int = ULTIMA) -> Tensor:
    """exp de cada punto, dividido por la suma de su fila; antes se resta el mayor."""
    mayor = F.max(puntos, axis=eje)
    exponenciales = F.exp(puntos - mayor)
    suma = F.sum(exponenciales, axis=eje)
    return exponenciales / suma


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    ancho = int(key.shape[ULTIMA])
    escala = float(ancho) ** -0.5

    puntos = query @ F.transpose(key, PENULTIMA, ULTIMA)
    puntos *= escala
    if not (mask is None):
        puntos += mask

    pesos = pesos_de(puntos)
    mezcla = pesos @ value
    resultado = (mezcla, pesos)
    return resultado
