"""Numbers that are right but for their order, or for a factor of each row: what would be right."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from grader.grading.following.relations import ATOL, Floats, same
from grader.grading.following.run import operation
from grader.grading.following.trace import Comparison


def sized(comparison: Comparison, node: int) -> str:
    """Which two sizes a reshape swaps, if the other way round it gives what the reference has."""
    mine = comparison.mine
    values = mine.values(node) if operation(mine.nodes[node]) == "reshape" else ()
    array = mine.arrays[values[-1]] if values else None
    if array is None or array.ndim < 2 or comparison.known(values[-1]):
        return ""
    for i, j in combinations(range(array.ndim), 2):
        shape = list(array.shape)
        shape[i], shape[j] = shape[j], shape[i]
        found = {*map(comparison.which, _uses(array.reshape(shape)))}
        if shape[i] == shape[j] or found <= {None, *comparison.matched}:
            continue  # the program has that already
        a, b = array.shape[i], array.shape[j]
        return f"With the sizes {a} and {b} in the other order it would be right."
    return ""


def _uses(array: Floats) -> Iterator[Floats]:
    """A reshaped array, and what is made of one next: swapped, or one of its pieces."""
    yield array
    if array.ndim > 2:
        yield array.swapaxes(-3, -2)
    yield array[..., 0]


def unsummed(mine: Floats, right: Floats) -> bool:
    """Whether each row is a multiple of a row of weights, which sum to 1."""
    if mine.shape != right.shape or mine.ndim < 2 or not np.isfinite(mine).all():
        return False
    sums = mine.sum(axis=-1, keepdims=True)
    if np.abs(sums).min(initial=1.0) < ATOL or not np.allclose(right.sum(axis=-1), 1.0):
        return False
    return same(mine / sums, right)
