"""Step 02: causal mask. Written by an old Fortran hand: index arrays, one MERGE, one exit."""

from __future__ import annotations

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    """MASK(I, J) = 0 if J <= NPAST + I, else -infinity."""
    # extents
    nrow = int(Dim(sequence_length))
    npast = int(Dim(num_tokens))
    ncol = npast + nrow

    # index vectors, 1-based as God intended (the upper bound of arange is exclusive)
    irow = F.arange(1, nrow + 1, dtype=DType.int32, device=device)
    jcol = F.arange(1, ncol + 1, dtype=DType.int32, device=device)
    irow = irow.unsqueeze(1)  # a column: [nrow, 1]
    jcol = jcol.unsqueeze(0)  # a row: [1, ncol]

    # the two possible values of an element
    hidden = Tensor.full([nrow, ncol], float("-inf"), dtype=dtype, device=device)
    seen = Tensor.zeros([nrow, ncol], dtype=dtype, device=device)

    # pick one for each element
    future = jcol > irow + npast
    result = F.where(future, hidden, seen)
    return result
