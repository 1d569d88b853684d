"""Sheet "CausalMask". One row per new token, one column per token of the whole text.

Cell formula:   =IF(column > opening_balance + row, -INF, 0)
"""

from __future__ import annotations

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

CLOSED = float("-inf")  # a cell nobody may open
OPEN = 0.0


def closing_balance(opening: DimLike, movement: DimLike) -> Dim:
    """Carried forward plus booked this period."""
    return Dim(opening) + Dim(movement)


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    """The finished sheet: 0 in open cells, minus infinity in closed ones."""
    # --- inputs ---
    rows = int(Dim(sequence_length))
    opening = int(Dim(num_tokens))
    columns = int(closing_balance(opening, rows))

    # --- header column and header row ---
    row_no = F.range(0, rows, dtype=DType.int64, device=device)
    col_no = F.range(0, columns, dtype=DType.int64, device=device)
    limit = row_no.unsqueeze(1) + opening  # last column that each row may read

    # --- the IF formula, filled over the sheet ---
    in_future = col_no.unsqueeze(0) > limit
    closed_cell = Tensor(CLOSED, dtype=dtype, device=device)
    open_cell = Tensor(OPEN, dtype=dtype, device=device)
    return F.where(in_future, closed_cell, open_cell)
