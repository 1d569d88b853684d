"""Step 02 as a board: ranks look, files are looked at."""

from __future__ import annotations

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

FREE = 0.0
BLOCKED = float("-inf")


def _line(first: int, count: int, device: Device) -> Tensor:
    """The numbers of ``count`` squares in a line."""
    return Tensor.arange(first, first + count, dtype=DType.int64, device=device)


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    """A board on which no piece sees a file ahead of its own."""
    ranks, played = (int(Dim(length)) for length in (sequence_length, num_tokens))
    files = played + ranks

    # a piece on rank r stands on file played + r
    piece = F.unsqueeze(_line(played, ranks, device), -1)  # [ranks, 1]
    target = F.unsqueeze(_line(0, files, device), 0)  # [1, files]
    ahead = F.greater(target, piece)  # [ranks, files]

    wall = Tensor(BLOCKED, dtype=dtype, device=device)
    grass = Tensor(FREE, dtype=dtype, device=device)
    return F.where(ahead, wall, grass)
