"""Causal mask, step 02. Think of it as matrix(-Inf, nrow, ncol) with the lower part set to 0."""

from __future__ import annotations

import math

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

MINUS_INF = -math.inf


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    """M[i, j] = 0 if j <= num_tokens + i, -Inf otherwise (indices from zero, not from one!)."""
    n_old = Dim(num_tokens)
    n_row = Dim(sequence_length)
    n_col = n_row + n_old

    # one number, recycled over the matrix
    M = Tensor.full([], MINUS_INF, dtype=dtype, device=device)
    M = M.broadcast_to([n_row, n_col])

    # in R: M[col(M) - row(M) <= n_old] <- 0
    return F.band_part(M, exclude=True, num_upper=int(n_old))
