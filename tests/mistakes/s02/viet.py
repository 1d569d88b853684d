"""Mat na nhan qua: khong duoc nhin tuong lai."""

from __future__ import annotations

import math

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
    so_moi = int(Dim(sequence_length))
    so_cu = int(Dim(num_tokens))
    tong = so_cu + so_moi

    # vi tri cua nguoi nhin (hang) va nguoi bi nhin (cot)
    hang = Tensor.arange(so_cu, tong, dtype=DType.int32, device=device)
    cot = Tensor.arange(tong, dtype=DType.int32, device=device)
    hang = F.unsqueeze(hang, 1)
    cot = F.unsqueeze(cot, 0)

    tuong_lai = cot > hang
    che = Tensor.full([so_moi, tong], -math.inf, dtype=dtype, device=device)
    thay = Tensor.zeros([so_moi, tong], dtype=dtype, device=device)
    return F.where(tuong_lai, che, thay)
