"""Step 04 the R way: small verbs, one pipe."""

from __future__ import annotations

from functools import reduce

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


# ---- verbs ------------------------------------------------------------------
def pipe(data, *verbs):
    """data |> verb1() |> verb2() ..."""
    return reduce(lambda df, verb: verb(df), verbs, data)


def numeric(value, like, dtype):
    """A vector of length one, on the device of another tensor."""
    return Tensor.full([], value, dtype=dtype, device=like.device)


def if_else(condition, true, false):
    """dplyr::if_else"""
    return F.where(condition, true, false)


def add_dim(at):
    """array(x, dim = c(..., 1, ...))"""
    return lambda df: df.unsqueeze(at)


def pmin(x, y):
    """Parallel minimum, as base::pmin."""
    return F.min(x, y)


# ---- analysis ---------------------------------------------------------------
def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    """Additive mask [batch, 1, 1, seq]."""
    is_na = F.equal(token_ids, pad_token_id)
    drop = numeric(finfo(dtype).min, token_ids, dtype)
    keep = numeric(0.0, token_ids, dtype)
    return pipe(
        is_na,
        lambda na: if_else(na, drop, keep),
        add_dim(at=1),  # queries
        add_dim(at=1),  # heads
    )


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    """Additive mask [batch, 1, seq, seq]."""
    masks = [causal, padding]
    return reduce(pmin, masks)
