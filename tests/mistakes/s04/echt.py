from __future__ import annotations

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    echt = token_ids != pad_token_id
    grenze = Tensor(finfo(dtype).min, dtype=dtype, device=token_ids.device)
    frei = Tensor(0.0, dtype=dtype, device=token_ids.device)
    maske = F.where(echt, frei, grenze)
    return maske[:, None, None, :]


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    beide = [causal, padding]
    ergebnis = beide[0]
    for weitere in beide[1:]:
        ergebnis = F.min(ergebnis, weitere)
    return ergebnis
