"""Padding and causal masks, written like two SELECT statements."""

from __future__ import annotations

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def _case_when(cond: Tensor, *, then: Tensor, otherwise: Tensor) -> Tensor:
    """CASE WHEN cond THEN then ELSE otherwise END, for every cell."""
    return F.where(cond, then, otherwise)


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    # SELECT LEAST(causal, padding)
    stricter = causal < padding  # [batch, 1, seq, seq]
    return _case_when(stricter, then=causal, otherwise=padding)


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    n_rows, n_cols = token_ids.shape

    def lit(value: float) -> Tensor:
        return Tensor(value, dtype=dtype, device=token_ids.device)

    # WHERE token_id <> pad
    keep = token_ids != pad_token_id  # [batch, seq]
    penalty = _case_when(
        keep,
        then=lit(0.0),
        otherwise=lit(finfo(dtype).min),
    )
    # one row per text, joined to every head and every query
    return penalty.reshape([n_rows, 1, 1, n_cols])
