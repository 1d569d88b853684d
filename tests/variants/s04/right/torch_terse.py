"""Step 04: additive pad mask + merge with the causal one."""

from __future__ import annotations

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    """0 = keep, finfo.min = pad. (B,T) -> (B,1,1,T)"""
    B, T = token_ids.shape
    kw = dict(dtype=dtype, device=token_ids.device)
    keep = F.zeros([B, 1, 1, T], **kw)
    drop = F.full([B, 1, 1, T], finfo(dtype).min, **kw)
    return F.where((token_ids == pad_token_id).reshape([B, 1, 1, T]), drop, keep)


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    """(T,T), (B,1,1,T) -> (B,1,T,T)"""
    B, T = padding.shape[0], causal.shape[-1]
    c = causal.unsqueeze(0).unsqueeze(0).broadcast_to([B, 1, T, T])
    p = padding.broadcast_to([B, 1, T, T])
    return F.where(c < p, c, p)  # lower one wins
