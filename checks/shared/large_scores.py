"""Scores of up to ±1000: clipped ones, a finite mask and a softmax that overflows show there.

They are made with the features of the tokens, so any trial of causal attention can have them.
"""

from __future__ import annotations

import numpy as np

from checks.shared.random_inputs import Array, Rng
from grader.rubric import RELATIVE

LARGEST = 1000.0
"""Of all scores, by size: the lessons promise it."""


def slack(score: float, width: int) -> float:
    """By how much the tolerance grows where scores of this size are sums of ``width`` products.

    Each sum is rounded to float32 after each product, by at most half an epsilon of its size; the
    errors add up like their root, and the largest of all is some four times as large. A score that
    is off by e changes its weight by e of itself, a weight depends on two scores, and values are
    larger than outputs, which are their means.
    """
    off = 4.0 * score * float(np.finfo(np.float32).eps) * np.sqrt(width)
    return float(1.0 + off / RELATIVE)


SLACK = slack(LARGEST, 8)
"""Of trials with such scores, in heads of no more than 8 numbers."""


def steer(query: Array, key: Array, value: Array, n_head: int) -> None:
    """Let the first features of a token move its scores, so that :func:`extreme` can.

    The weights ``[n_embd, n_embd]`` are changed: the first number of each head of a query is the
    token's feature 0, and that of a key its feature 1. Nothing else of queries and keys depends on
    features 0 to 2, nor a value on 0 and 1. The first number of each head may have no bias.
    """
    first = np.arange(n_head) * (len(query) // n_head)  # the first number of each head
    for feature, weight in enumerate((query, key)):
        weight[:, :3] = 0.0
        weight[first] = 0.0
        weight[first, feature] = 1.0
    value[:, :2] = 0.0


def extreme(rng: Rng, x: Array, head_dim: int) -> Array:
    """``x`` ``[..., seq, n_embd]`` with scores near ±1000, for weights that :func:`steer` set.

    All but the last token score near −1000, where ``exp`` is 0. They give the last token 2000
    more, and its value is huge, so a mask of −2000 shows. The last token hardly sees itself: it
    gives the others scores near 1000, where ``exp`` overflows.
    The first of several texts has its last score far below instead.
    """
    x = x.copy()
    x[..., 0] = np.sqrt(head_dim)  # so that a token's score is its key
    x[..., -1, 0] *= -1.0
    x[..., 1] = rng.uniform(-LARGEST, 4.0 - LARGEST, x.shape[:-1])
    x[..., 0, 1] = 4.0 - LARGEST  # the most: so it shows where a long text's first is not seen
    x[..., -1, 1] = LARGEST
    x[..., -1, 2] = 1e10
    if x.ndim > 2 and len(x) > 1:
        _below(x[0])
    return x


def _below(x: Array) -> None:
    """The last token scores −1000 for itself, others near −800, and its value is huge.

    So it shows if scores are clipped at −870 or above.
    """
    x[..., -1, 0] *= -1.0
    x[..., 1] += 200.0
    x[..., -1, 1] = -LARGEST
    x[..., -1, 2] = 1e30
