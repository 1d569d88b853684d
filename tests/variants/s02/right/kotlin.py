"""Step 02: the causal mask, the Kotlin way: guard first, then one expression."""

from __future__ import annotations

import math

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

BLOCKED = -math.inf


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    """0 where a new token may look, minus infinity in its future."""
    rows, past = (int(Dim(size)) for size in (sequence_length, num_tokens))
    cols = past + rows

    # guard: the newest token may look at everything, there is nothing to block
    if rows == 1:
        return Tensor.zeros([rows, cols], dtype=dtype, device=device)

    grid = Tensor.full([rows, cols], BLOCKED, dtype=dtype, device=device)
    return F.band_part(grid, num_upper=past, exclude=True)
