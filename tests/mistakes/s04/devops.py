"""Padding masks: which columns of the scores are off limits."""

from __future__ import annotations

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def is_word(ids: Tensor, pad: int) -> Tensor:
    # word? is everything that is not filler
    return ids != pad


def levels(dtype: DType, device) -> dict[str, Tensor]:
    opts = {"dtype": dtype, "device": device}
    return {
        "off": Tensor(finfo(dtype).min, **opts),
        "on": Tensor(0.0, **opts),
    }


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    stricter = causal < padding
    return F.where(stricter, causal, padding)


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    level = levels(dtype, token_ids.device)
    return (
        F.where(is_word(token_ids, pad_token_id), level["on"], level["off"])
        .unsqueeze(-2)  # queries
        .unsqueeze(-3)  # heads
    )
