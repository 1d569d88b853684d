"""Step 04: masks for padding.

Sequences of different lengths share a batch once the shorter ones are filled up with a padding
token. It means nothing, so no token may attend to it. The padding mask hides it, and combined with
the causal mask of step 02 it is all the masking that a language model needs.

Tasks:
    1. Import functional as F and Tensor.
    2. Find the padding.
    3. Choose the number that hides.
    4. Make the mask of the batch.
    5. Give it the shape that broadcasts over heads and queries.
    6. Combine it with the causal mask.

Run: ./pixiw run s04
"""

from __future__ import annotations

from max.dtype import DType, finfo

# TODO: Import functional (as F) and Tensor.
# Hint: from max.experimental import functional as F
# Hint: Tensor lives in max.experimental.tensor.


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    """Additive mask that hides the padding of a batch of sequences.

    It hides with the lowest finite number of ``dtype``, not with minus infinity: a sequence of
    nothing but padding would otherwise give a row of minus infinities, and its softmax is NaN.

    Args:
        token_ids: Integers ``[batch, seq]``.
        pad_token_id: The id that marks padding, wherever it is in a sequence.
        dtype: Type of the scores to which the mask is added, float32 or float64.

    Returns:
        Tensor ``[batch, 1, 1, seq]``: 0 for a token, ``finfo(dtype).min`` for padding.
        It broadcasts to ``[batch, n_head, seq, seq]``.
    """
    # TODO: Find the padding: True where the id is pad_token_id.
    # Hint: == compares every element of a tensor.
    is_padding = None

    # TODO: Make two tensors of one number each: what is added to padding, and to real tokens.
    # Hint: finfo(dtype).min is the lowest finite number.
    # Hint: Tensor(number, dtype=dtype, device=token_ids.device)
    hidden = None
    visible = None

    # TODO: Choose between the two, element by element.
    # Hint: F.where(condition, where_true, where_false)
    mask = None

    # TODO: Insert a dimension for the heads and one for the queries.
    # Hint: mask.unsqueeze(1), twice
    return None


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    """One mask that hides what either of two masks hides.

    Args:
        causal: Additive mask ``[seq, seq]``, as step 02 makes it.
        padding: Additive mask ``[batch, 1, 1, seq]``, as padding_mask makes it.

    Returns:
        Additive mask ``[batch, 1, seq, seq]``, for scores ``[batch, n_head, seq, seq]``.
    """
    # TODO: Take the lower number of the two masks, everywhere.
    # Hint: F.min(a, b) compares two tensors element by element, and broadcasts them.
    return None
