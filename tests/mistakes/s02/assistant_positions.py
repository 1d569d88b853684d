"""Causal mask for autoregressive attention."""

from __future__ import annotations

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike


def _positions(start: int, count: int, device: Device) -> Tensor:
    """Return the absolute positions ``start, ..., start + count - 1``."""
    return Tensor.arange(count, dtype=DType.int32, device=device) + start


def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    """Build an additive causal mask of shape (rows, cols)."""
    # Convert symbolic dimensions to plain integers
    num_rows = int(Dim(sequence_length))
    num_past = int(Dim(num_tokens))
    num_cols = num_past + num_rows

    # Absolute positions of queries and keys
    query_pos = _positions(num_past, num_rows, device).unsqueeze(1)
    key_pos = _positions(0, num_cols, device).unsqueeze(0)

    # A query must not see any key that comes after it
    is_future = key_pos > query_pos

    neg_inf = Tensor(float("-inf"), dtype=dtype, device=device)
    zero = Tensor(0.0, dtype=dtype, device=device)
    return F.where(is_future, neg_inf, zero)
