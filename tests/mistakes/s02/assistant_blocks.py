from __future__ import annotations

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

BLOCKED = float("-inf")


def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    rows = int(Dim(sequence_length))
    past = int(Dim(num_tokens))

    def block(height, width, fill):
        return Tensor.full([height, width], fill, dtype=dtype, device=device)

    square = F.band_part(block(rows, rows, BLOCKED), num_lower=None, num_upper=0, exclude=True)
    if past == 0:
        return square
    return F.concat([block(rows, past, 0.0), square], axis=1)
