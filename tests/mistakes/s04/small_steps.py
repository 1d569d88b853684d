"""Step 04, in small steps."""

from __future__ import annotations

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    """A mask [batch, 1, 1, seq] that hides the padding."""
    # where is everything
    my_device = token_ids.device
    my_shape = token_ids.shape

    # the lowest number
    limits = finfo(dtype)
    lowest_number = limits.min

    # a table full of the lowest number
    low = Tensor(lowest_number, dtype=dtype, device=my_device)
    low_table = F.broadcast_to(low, my_shape)

    # a table full of zeros
    zero = Tensor(0.0, dtype=dtype, device=my_device)
    zero_table = F.broadcast_to(zero, my_shape)

    # which tokens are real words
    is_word = token_ids != pad_token_id

    # words get 0, padding gets the lowest number
    table = F.where(is_word, zero_table, low_table)

    # make room for the heads and the queries
    batch = my_shape[0]
    seq = my_shape[1]
    new_shape = [batch, 1, 1, seq]
    answer = F.reshape(table, new_shape)
    return answer


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    """Hidden in one of the two means hidden."""
    padding_is_lower = padding < causal
    lower = F.where(padding_is_lower, padding, causal)
    return lower
