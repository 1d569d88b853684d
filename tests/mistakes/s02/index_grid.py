"""Causal mask the vectorised way: compare a column of row positions with a row of column positions."""

from __future__ import annotations

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

NEG_INF = float("-inf")


def range_index(start: int, stop: int, device: Device) -> Tensor:
    """pd.RangeIndex(start, stop), as a vector."""
    return Tensor.arange(start, stop, dtype=DType.int64, device=device)


@F.functional
def causal_mask(
    sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device
) -> Tensor:
    """0 where column <= row position, -inf in the future."""
    past, new = int(Dim(num_tokens)), int(Dim(sequence_length))
    total = past + new

    # index and columns of the "data frame"
    index = range_index(past, total, device).reshape([-1, 1])  # [new, 1]
    columns = range_index(0, total, device)  # [total]

    is_future = columns > index  # [new, total]
    frame = Tensor.zeros([new, total], dtype=dtype, device=device)
    return F.where(is_future, NEG_INF, frame)
