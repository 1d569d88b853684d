"""Step 02: causal mask, by an outer difference of positions (what I would do with outer() in R)."""

from __future__ import annotations

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike


def seq_from_to(first: int, last: int, device: Device) -> Tensor:
    """R's first:(last - 1), as a numeric vector."""
    return Tensor.arange(first, last, dtype=DType.float32, device=device)


def rep_one(times: int, device: Device) -> Tensor:
    """R's rep(1, times)."""
    return Tensor.ones([times], dtype=DType.float32, device=device)


@F.functional
def causal_mask(
    sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device
) -> Tensor:
    """0 where a token may look, -Inf in its future."""
    # nrow(mask), ncol(mask)
    n_old = int(Dim(num_tokens))
    n_row = int(Dim(sequence_length))
    n_col = n_old + n_row

    # where in the text are the tokens that look, and those looked at
    pos_row = seq_from_to(n_old, n_col, device)
    pos_col = seq_from_to(0, n_col, device)

    # matrices like row(mask) and col(mask)
    row_of = F.outer(pos_row, rep_one(n_col, device))
    col_of = F.outer(rep_one(n_row, device), pos_col)

    # ifelse(col > row, -Inf, 0)
    is_future = col_of > row_of
    minus_inf = Tensor(float("-inf"), dtype=dtype, device=device)
    zero = Tensor(0.0, dtype=dtype, device=device)
    return F.where(is_future, minus_inf, zero)
