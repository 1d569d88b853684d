"""Step 02: the causal mask.

A language model that predicts the next token must not attend to it. The causal mask is a small
matrix that is added to the attention scores: 0 where a token may attend, minus infinity where it
may not. The softmax then turns minus infinity into a weight of exactly zero.

Tasks:
    1. Import Device, DType, functional as F, Tensor, Dim and DimLike.
    2. Count the columns of the mask.
    3. Make a constant of minus infinity.
    4. Spread it over the whole mask.
    5. Keep it where the future is, and put 0 everywhere else.

Run: ./pixiw run s02
"""

from __future__ import annotations

# TODO: Import the six names that the function uses.
# Hint: Device from max.driver, DType from max.dtype
# Hint: functional as F from max.experimental
# Hint: Tensor from max.experimental.tensor
# Hint: Dim and DimLike from max.graph


# TODO: Decorate the function with F.functional, so that MAX runs it as one operation.
# Hint: A decorator is a line of its own above the function: @ and its name.
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    """Additive mask that hides the future.

    Row ``i`` belongs to the ``i``-th new token, which is at position ``num_tokens + i``
    of the sequence. It may attend to every position up to its own.

    Args:
        sequence_length: Number of new tokens: the rows.
        num_tokens: Number of earlier tokens, which come before the new ones.
            It is 0 for a whole sequence. Both numbers together are at most 1024, GPT-2's positions.
        dtype: Floating-point type of the scores to which the mask is added.
        device: Where those scores are.

    Returns:
        Tensor ``[sequence_length, num_tokens + sequence_length]``: 0 at ``[i, j]`` where
        ``j <= num_tokens + i``, minus infinity elsewhere.
    """
    # TODO: Count the columns: the earlier tokens and the new ones.
    # Hint: Either length may be an int or a Dim. Dim(...) takes both, and both can be added to it.
    n = None

    # TODO: Make a tensor that holds the one number minus infinity.
    # Hint: float("-inf") is minus infinity. Tensor also takes the dtype and the device, by name.
    mask = None

    # TODO: Repeat it until it has sequence_length rows and n columns.
    # Hint: F.broadcast_to takes the tensor and its new shape. The shape is one tuple, rows first.
    mask = None

    # TODO: Put 0 wherever a token may attend, and return the result.
    # Hint: F.band_part keeps a band around the diagonal and puts 0 outside it.
    # Hint: exclude=True does the opposite: it puts 0 inside the band and keeps the rest.
    # Hint: Below, the band has no limit (num_lower=None). Above, num_upper counts earlier tokens.
    # Hint: num_upper must be a plain int. int(Dim(...)) turns an int or a Dim into one.
    return None
