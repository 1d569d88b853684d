"""The formulas of the course, in float64, with knobs for what learners get wrong."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def softmax(scores: Floats, *, axis: int = -1, **_: object) -> Floats:
    """Weights that sum to 1 along ``axis``."""
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    weights: Floats = powers / powers.sum(axis=axis, keepdims=True)
    return weights


def attention_weights(
    x: Floats, query: Floats, key: Floats, *, scale: bool = True, **knobs: int
) -> Floats:
    """Softmax of ``(x query)(x key)ᵀ / √head_dim``, ``[seq, seq]``."""
    scores = (x @ query) @ (x @ key).T
    return softmax(scores / np.sqrt(key.shape[-1]) if scale else scores, **knobs)
