"""Step 02, typed: the geometry of the mask first, then the tensor."""

from __future__ import annotations

from math import inf
from typing import Final, NamedTuple

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

__all__ = ["causal_mask"]

HIDDEN: Final[float] = -inf


class Geometry(NamedTuple):
    """Sizes of one mask, as plain ints."""

    new: int
    earlier: int

    @property
    def columns(self) -> int:
        return self.earlier + self.new

    @classmethod
    def of(cls, *, new: DimLike, earlier: DimLike) -> Geometry:
        return cls(new=int(Dim(new)), earlier=int(Dim(earlier)))


def _keep_future(full: Tensor, *, reach: int) -> Tensor:
    """Zero everything up to ``reach`` columns right of the diagonal."""
    return F.band_part(full, num_lower=None, num_upper=reach, exclude=True)


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    """0 where a token may attend, minus infinity where it may not."""
    geometry = Geometry.of(new=sequence_length, earlier=num_tokens)
    assert geometry.new > 0, "a mask needs at least one row"
    assert (reach := geometry.earlier) >= 0, f"{reach} earlier tokens?"

    shape: tuple[int, int] = (geometry.new, geometry.columns)
    full: Tensor = F.full(shape, HIDDEN, dtype=dtype, device=device)
    return _keep_future(full, reach=reach)
