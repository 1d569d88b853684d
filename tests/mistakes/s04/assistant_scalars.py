from __future__ import annotations

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def _scalar(number: float, like: Tensor, dtype: DType) -> Tensor:
    return Tensor.full([1], number, dtype=dtype, device=like.device)


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    keep = token_ids != pad_token_id
    keep = F.unsqueeze(F.unsqueeze(keep, 1), 2)
    return F.where(
        keep,
        _scalar(0.0, token_ids, dtype),
        _scalar(finfo(dtype).min, token_ids, dtype),
    )


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    batch = padding.shape[0]
    seq = causal.shape[-1]
    shape = [batch, 1, seq, seq]
    return F.min(F.broadcast_to(causal, shape), F.broadcast_to(padding, shape))
