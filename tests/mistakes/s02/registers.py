"""s02. Gate array: 0 = line open, VEE = line cut."""

from __future__ import annotations

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

VEE = -float("inf")  # negative rail
GND = 0


def tap(pin: DimLike) -> int:
    """Static count on a pin."""
    return int(Dim(pin))


def bus(rx: DimLike, pre: DimLike) -> list[Dim]:
    """Rows x lines: pre = preloaded lines, rx = fresh ones."""
    r, p = Dim(rx), Dim(pre)
    return [r, p + r]


@F.functional
def causal_mask(
    sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device
) -> Tensor:
    """Array of gates [sequence_length, num_tokens + sequence_length]."""
    rx, pre = sequence_length, num_tokens
    cell = Tensor(VEE, dtype=dtype, device=device)
    array = cell.broadcast_to(bus(rx, pre))
    hi = GND + tap(pre)  # lines open beyond the diagonal
    return F.band_part(array, None, hi, exclude=True)
