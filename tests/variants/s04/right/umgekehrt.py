"""Gefragt wird nicht nach der Füllung, sondern nach den echten Token."""

from __future__ import annotations

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def zahl(wert: float, wie: DType, wo: Tensor) -> Tensor:
    """Ein Tensor mit einer einzigen Zahl, auf dem Gerät von ``wo``."""
    return Tensor(wert, dtype=wie, device=wo.device)


def vierdimensional(maske: Tensor) -> Tensor:
    for stelle in (1, 2):
        maske = F.unsqueeze(maske, stelle)
    return maske


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    ist_echt = F.not_equal(token_ids, pad_token_id)
    sichtbar = zahl(0.0, dtype, token_ids)
    versteckt = zahl(finfo(dtype).min, dtype, token_ids)
    return vierdimensional(F.where(ist_echt, sichtbar, versteckt))


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    kausal_ist_tiefer = causal < padding
    return F.where(kausal_ist_tiefer, causal, padding)
