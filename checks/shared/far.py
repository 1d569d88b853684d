"""Scores far from 0, where clipped scores and a finite mask show.

They are made with the features of the tokens, so any trial of causal attention can have them.
"""

from __future__ import annotations

import numpy as np

from checks.shared.drawn import Array, Rng

SLACK = 5.0
"""Of such trials: rounding of scores of some tens is felt through the softmax."""


def steer(query: Array, key: Array, value: Array, n_head: int) -> None:
    """Let the first features of a token move its scores, so that :func:`far` can.

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


def far(rng: Rng, x: Array, head_dim: int) -> Array:
    """``x`` ``[..., seq, n_embd]`` with scores far from 0, for weights that :func:`steer` set.

    All but the last token score near −74, where clipping shows. They give the last token 75
    more, and its value is huge, so a finite mask shows even at −100. With more than 85 between
    them, exp of a float32 would lose what is seen. The last token hardly sees itself: it gives
    the others scores near 74, of which exp is still a float32, even the sum for a long text.
    The first of several texts has its last score far below instead.
    """
    x = x.copy()
    x[..., 0] = np.sqrt(head_dim)  # so that a token's score is its key
    x[..., -1, 0] *= -1.0
    x[..., 1] = rng.uniform(-76.0, -72.0, x.shape[:-1])
    x[..., 0, 1] = -72.0  # the most: so it shows where a long text's first token is not seen
    x[..., -1, 1] = 1.0
    x[..., -1, 2] = 1e10
    if x.ndim > 2 and len(x) > 1:
        _below(x[0])
    return x


def _below(x: Array) -> None:
    """The last token scores −300 for itself, others near −85, where exp is still a float32.

    Its value is huge. So it shows if scores are clipped at −100 or −150.
    """
    x[..., -1, 0] *= -1.0
    x[..., 1] -= 10.0
    x[..., -1, 1] = -300.0
    x[..., -1, 2] = 1e30
