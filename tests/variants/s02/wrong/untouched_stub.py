# concept: imports
# check: imports
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

Run: pixi run s02
"""

from __future__ import annotations

# TODO: Import what the mask is made of.
# Hint: Device from max.driver, DType from max.dtype
# Hint: functional as F from max.experimental
# Hint: Tensor from max.experimental.tensor
# Hint: Dim and DimLike from max.graph


# TODO: Decorate the function with F.functional, so that MAX runs it as one operation.
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    """Additive mask that hides the future.

    Row ``i`` belongs to the ``i``-th new token, which stands at position ``num_tokens + i`` of
    the text. It may attend to every position up to its own.

    Args:
        sequence_length: Number of new tokens: the rows.
        num_tokens: Number of tokens that came before them and are kept in a KV cache.
            It is 0 as long as there is no such cache.
        dtype: Floating-point type of the scores to which the mask is added.
        device: Where those scores are.

    Returns:
        Tensor ``[sequence_length, num_tokens + sequence_length]``: 0 at ``[i, j]`` where
        ``j <= num_tokens + i``, minus infinity elsewhere.
    """
    # TODO: Count the columns: the tokens before and the new ones.
    # Hint: Lengths may be ints or MAX dimensions. Dim(sequence_length) + num_tokens takes both.
    n = None

    # TODO: Make a tensor that holds the one number minus infinity.
    # Hint: Tensor(float("-inf"), ...) with the dtype and the device you were given.
    mask = None

    # TODO: Repeat it over every row and column.
    # Hint: F.broadcast_to(mask, shape=(sequence_length, n))
    mask = None

    # TODO: Put 0 wherever looking is allowed.
    # Hint: F.band_part keeps a band around the diagonal and puts 0 outside it.
    # Hint: exclude=True does the opposite: it puts 0 inside the band and keeps the rest.
    # Hint: The band reaches down without limit (num_lower=None) and up by the tokens before.
    # Hint: num_upper must be a plain int: int(Dim(num_tokens)).
    return None
