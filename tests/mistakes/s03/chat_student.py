"""Scaled dot-product attention, explained step by step.

Overview:
    1. compute_raw_scores: compare queries with keys.
    2. compute_scaling_factor: find the factor for the scores.
    3. apply_attention_mask: hide the positions that must not be seen.
    4. scaled_dot_product_attention: put it all together.
"""

from __future__ import annotations

import math
from typing import Optional

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def compute_raw_scores(query: Tensor, key: Tensor) -> Tensor:
    """Compute the unscaled similarity of all queries and keys.

    Args:
        query: The query tensor.
        key: The key tensor.

    Returns:
        One row of scores for each query.
    """
    last_dimension = key.rank - 1
    second_last_dimension = key.rank - 2
    key_transposed = key.transpose(second_last_dimension, last_dimension)
    raw_scores = query @ key_transposed
    return raw_scores


def compute_scaling_factor(query: Tensor) -> float:
    """Return one over the square root of the head dimension."""
    query_shape = query.shape
    head_dimension = int(query_shape[-1])
    square_root = math.sqrt(head_dimension)
    scaling_factor = 1.0 / square_root
    return scaling_factor


def apply_attention_mask(scores: Tensor, mask: Optional[Tensor]) -> Tensor:
    """Add the mask to the scores. Without a mask the scores stay as they are."""
    has_mask = mask is not None
    if has_mask:
        masked_scores = scores + mask
        return masked_scores
    return scores


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Optional[Tensor] = None,
) -> tuple[Tensor, Tensor]:
    """Calculate attention.

    Args:
        query: The query tensor.
        key: The key tensor.
        value: The value tensor.
        mask: An optional tensor of zeros and minus infinities.

    Returns:
        A tuple of the attention output and the attention weights.
    """
    # Step 1: raw similarity scores
    raw_scores = compute_raw_scores(query, key)

    # Step 2: scale the scores
    scaling_factor = compute_scaling_factor(query)
    scaled_scores = raw_scores * scaling_factor

    # Step 3: apply the mask (if provided)
    masked_scores = apply_attention_mask(scaled_scores, mask)

    # Step 4: convert the scores to probabilities
    attention_weights = F.softmax(masked_scores, axis=-1)

    # Step 5: weighted sum of the values
    attention_output = attention_weights @ value

    # Step 6: return both
    return attention_output, attention_weights
