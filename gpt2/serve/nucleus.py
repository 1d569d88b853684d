"""Top-p: only the likeliest tokens may be drawn, as many as it takes to reach a probability.

Source: Holtzman et al. 2019, "The Curious Case of Neural Text Degeneration", section 3.1. The order
is that of Hugging Face: temperature, top-k, top-p.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def within(logits: Array, temperature: float, top_k: int | None, top_p: float) -> Array:
    """A copy of the logits, -inf for tokens outside the smallest set that reaches ``top_p``."""
    scores = logits.astype(np.float64) / temperature  # [vocab_size]
    if top_k is not None:
        scores[scores < np.sort(scores)[-min(top_k, len(scores))]] = -np.inf
    shares = np.exp(scores - np.max(scores))
    order = np.argsort(shares, kind="stable")  # the least likely first
    below = np.cumsum(shares[order] / shares.sum())
    outside = order[:-1][below[:-1] <= 1 - top_p]  # the likeliest always stays
    kept = logits.copy()
    kept[outside] = -np.inf
    return kept
