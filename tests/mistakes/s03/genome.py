"""Soft alignment: every read (query) is aligned against every reference (key)."""

from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def _similarity_matrix(reads: Tensor, references: Tensor) -> Tensor:
    """One row per read, one column per reference."""
    axes = list(range(references.rank))
    axes[-2], axes[-1] = axes[-1], axes[-2]
    length = int(reads.shape[-1])
    raw = F.matmul(reads, references.permute(axes))
    return raw * (1.0 / math.sqrt(length))  # corrected for the length of the read


def _abundances(log_odds: Tensor) -> Tensor:
    """From log odds to relative abundances: each row sums to 1."""
    best = log_odds.max(axis=-1)
    likelihoods = F.exp(log_odds - best)
    total = likelihoods.sum(axis=-1)
    return likelihoods / total


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Expression of each read as a mixture of the annotations of the references."""
    hits = _similarity_matrix(query, key)

    # low-complexity regions are masked, as in RepeatMasker
    if mask is not None:
        hits = F.add(hits, mask)

    abundances = _abundances(hits)
    expression = F.matmul(abundances, value)
    return expression, abundances
