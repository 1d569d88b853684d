from __future__ import annotations

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike


@F.functional
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
    n = Dim(sequence_length) + num_tokens

    mask = Tensor(float("-inf"), dtype=dtype, device=device)  # []

    mask = F.broadcast_to(mask, shape=(sequence_length, n))  # [sequence_length, n]

    allowed = int(Dim(num_tokens))
    return F.band_part(  # [sequence_length, n]
        mask, num_lower=None, num_upper=allowed, exclude=True
    )
