"""Masque de remplissage."""
from __future__ import annotations

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def _nombre(v: float, dtype: DType, ids: Tensor) -> Tensor:
    """One number as a tensor, next to the ids."""
    return Tensor(v, dtype=dtype, device=ids.device)


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    """0 for a token, the lowest number for padding."""
    plus_bas = finfo(dtype).min
    reel = token_ids != pad_token_id
    masque = F.where(
        reel,
        _nombre(0.0, dtype, token_ids),
        _nombre(plus_bas, dtype, token_ids),
    )
    return masque[:, None, None, :]


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    """Hide what either hides."""
    plus_cache = causal < padding
    return F.where(plus_cache, causal, padding)
