"""Vima 4: maskes gia to padding (gemisma)."""

from __future__ import annotations

import max.experimental.functional as F
from max.dtype import DType, finfo
from max.experimental.tensor import Tensor


def _arithmos(timi: float, typos: DType, syskevi) -> Tensor:
    """Enas tensor me enan mono arithmo."""
    return Tensor.full([], timi, dtype=typos, device=syskevi)


def _prosthese_diastaseis(maska: Tensor, poses: int) -> Tensor:
    """Vazei diastaseis mikous 1 prin apo ta kleidia."""
    for _ in range(poses):
        maska = maska.unsqueeze(-2)
    return maska


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    """[batch, seq] -> [batch, 1, 1, seq]"""
    einai_lexi = token_ids != pad_token_id
    fanero = _arithmos(0.0, dtype, token_ids.device)
    kryfo = _arithmos(finfo(dtype).min, dtype, token_ids.device)

    # 0 gia tis lexeis, o mikroteros arithmos gia to gemisma
    maska = F.where(einai_lexi, fanero, kryfo)
    return _prosthese_diastaseis(maska, 2)


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    """Opou krivei i mia i i alli: o mikroteros apo tous dyo."""
    mellon, gemisma = causal, padding
    mikrotero_to_mellon = mellon < gemisma
    return F.where(mikrotero_to_mellon, mellon, gemisma)
