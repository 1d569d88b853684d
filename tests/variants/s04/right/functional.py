"""Padding masks, functional style."""

from __future__ import annotations

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor

scalar_like = lambda value, ids, dtype: Tensor(value, dtype=dtype, device=ids.device)
add_head_and_query_axes = lambda bias: bias[:, None, None, :]


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    """Additive bias [batch, 1, 1, seq]."""
    keep = token_ids != pad_token_id
    zero = scalar_like(0.0, token_ids, dtype)
    big_neg = scalar_like(finfo(dtype).min, token_ids, dtype)
    bias = F.where(keep, zero, big_neg)
    return add_head_and_query_axes(bias)


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    """Elementwise lower of both biases."""
    pick_lower = lambda a, b: F.where(a < b, a, b)
    return pick_lower(causal, padding)
