"""Step 01: softmax, the function that turns scores into weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class AttentionConfig:
    """The sizes of step 02."""

    n_embd: int = 8
    head_dim: int = 4


def softmax(scores: np.ndarray) -> np.ndarray:
    """Weights that are positive and sum to 1 along the last axis.

    Args:
        scores: ``[..., n]``, any real numbers.

    Returns:
        ``[..., n]``, of the same dtype.
    """
    # TODO: Subtract the largest score of each row, so that no power overflows.
    # Hint: max with axis=-1 and keepdims=True
    shifted = None

    # TODO: Divide the power of each score by the sum of its row.
    return None
