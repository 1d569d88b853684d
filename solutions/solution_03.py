"""Step 03: scaled dot-product attention.

Every query is compared with every key. The scores become weights that sum to 1, and the weights
mix the values. This one function is the heart of every transformer; later steps only prepare its
inputs. It also returns the weights, so that you can see which token attends to which.

Tasks:
    1. Import functional as F and Tensor.
    2. Compute the scores.
    3. Scale them.
    4. Add the mask, if there is one.
    5. Turn scores into weights.
    6. Mix the values, and return the result together with the weights.

Run: ./pixiw run s03
"""

from __future__ import annotations

import math

# >>> blank: imports
# TODO: Import functional (as F) and Tensor.
# Hint: from max.experimental import functional as F
# Hint: Tensor lives in max.experimental.tensor.
# stub:
from max.experimental import functional as F
from max.experimental.tensor import Tensor

# <<< blank


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
        mask: Added to the scores as it is: 0 where a query may attend, minus infinity where it may
            not. Any shape that broadcasts to ``[..., query_len, key_len]``. None hides nothing.

    Returns:
        The output ``[..., query_len, value_dim]`` and the weights
        ``[..., query_len, key_len]``, which sum to 1 over the keys.

    Source: Vaswani et al. 2017, "Attention Is All You Need", equation 1.
    """
    # >>> blank: scores
    # TODO: Compute the score of every query with every key.
    # Hint: The product @ needs the key with its last two dimensions swapped.
    # stub: scores = None
    scores = query @ key.transpose(-1, -2)  # [..., query_len, key_len]
    # <<< blank

    # >>> blank: scale
    # TODO: Divide by the square root of head_dim, the width of query and key.
    # Hint: query.shape[-1] is a Dim. math.sqrt needs int(...) around it.
    # stub: scores = None
    scores = scores / math.sqrt(int(query.shape[-1]))  # [..., query_len, key_len]
    # <<< blank

    # >>> blank: mask
    # TODO: Add the mask to the scores, if there is one.
    # Hint: Ask "is not None": a tensor of many numbers is neither true nor false.
    # stub: pass
    if mask is not None:
        scores = scores + mask  # [..., query_len, key_len]
    # <<< blank

    # >>> blank: softmax
    # TODO: Turn the scores into weights that sum to 1 over the keys.
    # Hint: F.softmax works on the last dimension.
    # stub: weights = None
    weights = F.softmax(scores)  # [..., query_len, key_len]
    # <<< blank

    # >>> blank: output
    # TODO: Mix the values with these weights. Return the result and the weights.
    # Hint: One matrix product. To return two results, put a comma between them.
    # stub: output = None
    # stub: return None
    output = weights @ value  # [..., query_len, value_dim]
    return output, weights
    # <<< blank
