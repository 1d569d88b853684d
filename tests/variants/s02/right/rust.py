from __future__ import annotations

from typing import NamedTuple

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike


class Extent(NamedTuple):
    rows: Dim
    past: Dim

    @classmethod
    def new(cls, rows: DimLike, past: DimLike) -> Extent:
        return cls(Dim(rows), Dim(past))

    def cols(self) -> Dim:
        return self.past + self.rows

    def shape(self) -> list[Dim]:
        return [self.rows, self.cols()]


def filled(value: float, extent: Extent, dtype: DType, device: Device) -> Tensor:
    scalar = Tensor(value, dtype=dtype, device=device)
    return scalar.broadcast_to(extent.shape())


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    extent = Extent.new(sequence_length, num_tokens)
    blocked = filled(float("-inf"), extent, dtype, device)
    reach = int(extent.past)
    match reach:
        case n if n < 0:
            raise ValueError("num_tokens must not be negative")
        case n:
            return F.band_part(blocked, None, n, exclude=True)
