"""Step 02: the causal mask as a tile map.

Every cell of the map has coordinates: its row is the token that looks, its column the token that
is looked at. A cell is fog (minus infinity) if its column lies ahead of the looker, and free (0)
otherwise. No band, just coordinates.
"""

from __future__ import annotations

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

FOG = float("-inf")
FREE = 0.0


def axis_coordinates(first: int, count: int, device: Device) -> Tensor:
    """first, first + 1, ... along one axis of the map: [count]."""
    return F.range(first, first + count, dtype=DType.int32, device=device)


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    """0 where a token may look, minus infinity where it may not.

    Returns [sequence_length, num_tokens + sequence_length].
    """
    height = int(Dim(sequence_length))
    offset = int(Dim(num_tokens))
    width = offset + height

    # Rows start at the world position of the first new token, columns at the world's edge.
    y = axis_coordinates(offset, height, device).unsqueeze(1)  # [height, 1]
    x = axis_coordinates(0, width, device).unsqueeze(0)  # [1, width]
    ahead = x > y  # [height, width]

    fog = Tensor(FOG, dtype=dtype, device=device)
    free = Tensor(FREE, dtype=dtype, device=device)
    return F.where(ahead, fog, free)
