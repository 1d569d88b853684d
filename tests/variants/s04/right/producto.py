"""Los booleanos se convierten en números y se multiplican por el más bajo (finito)."""

from __future__ import annotations

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor

EJE_CABEZAS = 1
EJE_CONSULTAS = -2


def mas_bajo(tipo: DType) -> float:
    limites = finfo(tipo)
    return limites.min


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    """0 para las palabras, el número más bajo para el relleno."""
    relleno = pad_token_id == token_ids
    unos = relleno.cast(dtype)  # 1 donde hay relleno
    mascara = unos * Tensor(mas_bajo(dtype), dtype=dtype, device=token_ids.device)
    mascara = mascara.unsqueeze(EJE_CABEZAS)
    mascara = mascara.unsqueeze(EJE_CONSULTAS)
    return mascara


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    """El menor de dos números es el opuesto del mayor de sus opuestos."""
    izquierda = -causal
    derecha = -padding
    return -F.max(derecha, izquierda)
