"""step 04: padding bias + combined bias

Coming from tinygrad / JAX: a mask is just an additive bias.
"""

from __future__ import annotations

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    B, T = token_ids.shape
    is_pad = (token_ids == pad_token_id).cast(dtype)  # 1. where padding, 0. where text
    bias = is_pad * finfo(dtype).min  # 0. or the lowest float
    return bias.reshape([B, 1, 1, T])  # (B, 1, 1, T)


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    B = padding.shape[0]
    T = causal.shape[-1]
    full = [B, 1, T, T]
    a = F.broadcast_to(causal, full)
    b = F.broadcast_to(padding, full)
    return F.min(a, b)
