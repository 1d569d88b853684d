from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Attention of every query over all keys: softmax(Q·Kᵀ/√head_dim + mask)·V.

    There may be any number of leading dimensions, none included, for example ``[batch, n_head]``.
    The widths may differ too: ``head_dim`` is that of query and key, ``value_dim`` that of the
    values.

    Args:
        query: ``[..., query_len, head_dim]``.
        key: ``[..., key_len, head_dim]``.
        value: ``[..., key_len, value_dim]``.
        mask: Added to the scores: 0 where a query may attend, minus infinity where it may not.
            Any shape that broadcasts to ``[..., query_len, key_len]``. None hides nothing.

    Returns:
        The output ``[..., query_len, value_dim]`` and the weights
        ``[..., query_len, key_len]``, which sum to 1 over the keys.

    Source: Vaswani et al. 2017, "Attention Is All You Need", equation 1.
    """
    scores = query @ key.transpose(-1, -2)  # [..., query_len, key_len]

    scores = scores / math.sqrt(int(query.shape[-1]))  # [..., query_len, key_len]

    if mask is not None:
        scores = scores + mask  # [..., query_len, key_len]

    weights = F.softmax(scores)  # [..., query_len, key_len]

    output = weights @ value  # [..., query_len, value_dim]
    return output, weights
