"""Scores of up to ±1000, which expose clipping, a finite mask and a softmax that overflows.

They depend on the tokens' features, so any trial of causal attention can have them.
"""

from __future__ import annotations

import numpy as np

from checks.shared.random_inputs import Array, Rng
from grader.rubric import RELATIVE

LARGEST = 1000.0
"""The largest absolute score, as the lessons promise."""


def slack(score: float, width: int) -> float:
    """Return the factor on the tolerance where scores of this size are sums of ``width`` products.

    Each sum is rounded to float32 after each product, by at most half an epsilon of its size; the
    errors grow with the root of their number, and the largest is about four times as large. A score
    that is off by e changes its weight by a fraction e, a weight depends on two scores, and values
    are larger than outputs, which are their means.
    """
    off = 4.0 * score * float(np.finfo(np.float32).eps) * np.sqrt(width)
    return float(1.0 + off / RELATIVE)


SLACK = slack(LARGEST, 8)
"""The slack of trials with such scores, in heads of at most 8 numbers."""


def steer(query: Array, key: Array, value: Array, n_head: int) -> None:
    """Make scores depend on a token's first features, so that :func:`extreme` can set them.

    This changes the weights ``[n_embd, n_embd]``: the first number of a query in each head becomes
    the token's feature 0, and that of a key its feature 1. Nothing else in queries and keys depends
    on features 0 to 2, nor values on 0 and 1. The first number of each head must have no bias.
    """
    first = np.arange(n_head) * (len(query) // n_head)  # the first number of each head
    for feature, weight in enumerate((query, key)):
        weight[:, :3] = 0.0
        weight[first] = 0.0
        weight[first, feature] = 1.0
    value[:, :2] = 0.0


def extreme(rng: Rng, x: Array, head_dim: int) -> Array:
    """Return ``x`` ``[..., seq, n_embd]`` with scores near ±1000, for weights set by :func:`steer`.

    All but the last token have scores near −1000, where ``exp`` is 0. Their score for the last
    token is higher by 2000, and its value is huge, which exposes a mask of −2000. The last token
    hardly attends to itself: its scores for the others are near 1000, where ``exp`` overflows.
    In the first of several texts, the last score is far below instead.
    """
    x = x.copy()
    x[..., 0] = np.sqrt(head_dim)  # so that a token's score is its key
    x[..., -1, 0] *= -1.0
    x[..., 1] = rng.uniform(-LARGEST, 4.0 - LARGEST, x.shape[:-1])
    x[..., 0, 1] = 4.0 - LARGEST  # the largest: shows if a long text's first is not seen
    x[..., -1, 1] = LARGEST
    x[..., -1, 2] = 1e10
    if x.ndim > 2 and len(x) > 1:
        _below(x[0])
    return x


def _below(x: Array) -> None:
    """Give the last token the score −1000, others scores near −800, and the last a huge value.

    This exposes scores that are clipped at −870 or above.
    """
    x[..., -1, 0] *= -1.0
    x[..., 1] += 200.0
    x[..., -1, 1] = -LARGEST
    x[..., -1, 2] = 1e30
