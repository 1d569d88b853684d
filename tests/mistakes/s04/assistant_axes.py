"""Padding masks for batched GPT-2 inputs."""

from __future__ import annotations

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scalar_like(reference: Tensor, number: float, dtype: DType) -> Tensor:
    """Create a scalar tensor on the same device as the reference."""
    return Tensor(number, dtype=dtype, device=reference.device)


def add_head_and_query_axes(mask: Tensor) -> Tensor:
    """[batch, seq] -> [batch, 1, 1, seq]"""
    for _ in range(2):
        mask = F.unsqueeze(mask, axis=1)
    return mask


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    # Step 1: find the padding positions.
    is_padding = token_ids == pad_token_id
    # Step 2: choose what is added to each position.
    hidden = scalar_like(token_ids, finfo(dtype).min, dtype)
    visible = scalar_like(token_ids, 0.0, dtype)
    mask = F.where(is_padding, hidden, visible)
    # Step 3: make it broadcastable.
    mask = add_head_and_query_axes(mask)
    return mask


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    # The lower of the two wins.
    combined = F.min(causal, padding)
    return combined
