from __future__ import annotations

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    fylld = token_ids == pad_token_id
    lagst = finfo(dtype).min
    som_tal = fylld.cast(dtype)
    mask = som_tal * lagst
    antal, langd = token_ids.shape
    return mask.reshape([antal, 1, 1, langd])


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    storre = causal > padding
    return F.where(storre, padding, causal)
