"""Padding masks as tiny pure functions: match on what can differ, treat None like Option::None."""

from __future__ import annotations

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def lowest(dtype: DType) -> float | None:
    """Some(lowest finite number), or None if the type has no such thing."""
    match dtype:
        case DType.float32:
            return finfo(DType.float32).min
        case DType.float64:
            return finfo(DType.float64).min
        case _:
            return None


def expect(option: float | None, message: str) -> float:
    match option:
        case None:
            raise ValueError(message)
        case some:
            return some


def zeros_for(ids: Tensor, dtype: DType) -> Tensor:
    return Tensor.zeros(ids.shape, dtype=dtype, device=ids.device)


def is_pad(ids: Tensor, pad: int) -> Tensor:
    return F.equal(ids, pad)


def for_heads_and_queries(mask: Tensor) -> Tensor:
    """[batch, seq] -> [batch, 1, 1, seq]"""
    return mask[:, None, None, :]


def padding_mask(
    token_ids: Tensor, pad_token_id: int | None, *, dtype: DType = DType.float32
) -> Tensor:
    """Lowest finite number for padding, 0 for every other token."""
    shown = zeros_for(token_ids, dtype)
    if pad_token_id is None:  # no padding token: nothing to hide
        return for_heads_and_queries(shown)
    hidden = expect(lowest(dtype), f"{dtype} is not float32 or float64")
    chosen = F.where(is_pad(token_ids, pad_token_id), hidden, shown)
    return for_heads_and_queries(chosen)


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    """Hidden by either: the lower of the two."""
    return F.elementwise_min(causal, padding)
