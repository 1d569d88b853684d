"""Filas y columnas numeradas; una comparación decide qué se puede mirar."""

from __future__ import annotations

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike


def posiciones(desde: int, hasta: int, donde: Device) -> Tensor:
    """Los números desde, desde + 1, ..., hasta - 1."""
    return F.arange(desde, hasta, 1, hasta - desde, dtype=DType.int64, device=donde)


def entero(largo: DimLike) -> int:
    return largo if isinstance(largo, int) else int(Dim(largo))


@F.functional
def causal_mask(
    sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device
) -> Tensor:
    anteriores, nuevos = entero(num_tokens), entero(sequence_length)
    total = anteriores + nuevos

    quien_mira = posiciones(anteriores, total, device).unsqueeze(-1)
    quien_es_mirado = posiciones(0, total, device).unsqueeze(0)
    es_futuro = quien_es_mirado > quien_mira

    cero = Tensor(0, dtype=dtype, device=device)
    infinito = Tensor(float("inf"), dtype=dtype, device=device)
    menos_infinito = -infinito
    return F.where(es_futuro, menos_infinito, cero)
