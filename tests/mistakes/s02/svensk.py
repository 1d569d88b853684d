from __future__ import annotations

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike


def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    ny = int(Dim(sequence_length))
    gammal = int(Dim(num_tokens))
    rad = Tensor.arange(ny, dtype=DType.int64, device=device).reshape([ny, 1])
    kolumn = Tensor.arange(gammal + ny, dtype=DType.int64, device=device).reshape([1, gammal + ny])
    synlig = kolumn <= rad + gammal
    noll = Tensor.zeros([1, 1], dtype=dtype, device=device)
    botten = Tensor.full([1, 1], float("-inf"), dtype=dtype, device=device)
    return F.where(synlig, noll, botten)
