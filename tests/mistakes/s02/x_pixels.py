"""Step 02: the causal mask, painted like a binary image."""

from __future__ import annotations

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike


def ramp(first: int, last: int, device: Device) -> Tensor:
    """Pixel coordinates first, first + 1, ..., last - 1."""
    return F.arange(first, last, dtype=DType.int32, device=device)


def gray(level: float, dtype: DType, device: Device) -> Tensor:
    """One pixel of this gray level."""
    return F.full([], level, dtype=dtype, device=device)


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    """Rows look, cols are looked at: -inf to the right of the slanted edge, 0 elsewhere."""
    height = int(Dim(sequence_length))
    margin = int(Dim(num_tokens))  # cols of the earlier tokens, left of the square part
    width = margin + height

    xs = ramp(0, width, device)
    ys = ramp(margin, width, device)
    xs = xs.reshape([1, width])
    ys = ys.reshape([height, 1])

    future = xs > ys  # [height, width], threshold
    black = gray(float("-inf"), dtype, device)
    white = gray(0.0, dtype, device)
    return F.where(future, black, white)
