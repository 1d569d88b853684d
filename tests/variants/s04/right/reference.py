from __future__ import annotations

from max.dtype import DType, finfo

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    """Additive mask that hides the padding of a batch of sequences.

    It hides with the lowest finite number of ``dtype``, not with minus infinity: a sequence of
    nothing but padding would otherwise give a row of minus infinities, and its softmax is NaN.

    Args:
        token_ids: Integers ``[batch, seq]``.
        pad_token_id: The id that marks padding, wherever it stands.
        dtype: Floating-point type of the scores to which the mask is added.

    Returns:
        Tensor ``[batch, 1, 1, seq]``: 0 where a token stands, ``finfo(dtype).min`` where
        padding stands. It broadcasts to ``[batch, n_head, seq, seq]``.
    """
    is_padding = token_ids == pad_token_id  # [batch, seq]

    hidden = Tensor(finfo(dtype).min, dtype=dtype, device=token_ids.device)  # []
    visible = Tensor(0.0, dtype=dtype, device=token_ids.device)  # []

    mask = F.where(is_padding, hidden, visible)  # [batch, seq]

    return mask.unsqueeze(1).unsqueeze(1)  # [batch, 1, 1, seq]


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    """One mask that hides what either of two masks hides.

    Args:
        causal: Additive mask ``[seq, seq]``, as of step 02.
        padding: Additive mask ``[batch, 1, 1, seq]``, as of :func:`padding_mask`.

    Returns:
        Additive mask ``[batch, 1, seq, seq]``, for scores ``[batch, n_head, seq, seq]``.
    """
    return F.min(causal, padding)  # [batch, 1, seq, seq]
