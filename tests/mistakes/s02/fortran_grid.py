"""Causal mask, step 02. Everything is counted from 1, as on paper: row I, column J."""

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
    """Return A with A(I,J) = 0 for J <= K + I and -Inf elsewhere."""
    # sizes
    M = int(Dim(sequence_length))  # rows
    K = int(Dim(num_tokens))
    N = K + M  # columns

    # last column that each row may see, M x 1
    LAST = []
    for I in range(1, M + 1):
        VISIBLE = K + I
        LAST.append([VISIBLE])
    LAST = Tensor(LAST, dtype=DType.int32, device=device)

    # column numbers 1:N
    J = F.arange(1, N + 1, dtype=DType.int32, device=device)

    # fill the matrix
    HIDE = J > LAST  # M x N
    ZERO = Tensor.zeros([M, N], dtype=dtype, device=device)
    INF = Tensor.full([M, N], float("-inf"), dtype=dtype, device=device)
    A = F.where(HIDE, INF, ZERO)
    return A
