"""Whether two arrays hold the same numbers, as far as float32 tells."""

from __future__ import annotations

from math import isfinite, isnan
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

RTOL, ATOL = 2e-4, 1e-5
HIDDEN = -9_999.0
"""Anything below it hides a score as minus infinity does; early models had -10,000."""


def canonical(array: npt.NDArray[Any]) -> Floats:
    """The numbers as float64; what hides a score is minus infinity."""
    exact = np.asarray(array, np.float64)
    return np.where(exact < HIDDEN, -np.inf, exact)


def same(mine: Floats, right: Floats) -> bool:
    """Whether two arrays of one shape hold the same numbers, up to rounding in float32."""
    if mine.shape != right.shape:
        return False
    if not right.size:
        return True
    sizes = np.abs(right)
    most = _least(float(sizes.max()))
    if not isfinite(most):
        return _same_but_finite(mine, right)
    if abs(mine.flat[0] - right.flat[0]) > most + RTOL * sizes.flat[0]:  # most often
        return False
    return bool((np.abs(mine - right) <= most + RTOL * sizes).all())


def beginning(array: Floats) -> tuple[float, float]:
    """The first number of an array, and how far from it one may be for :func:`same`."""
    if not array.size:
        return 0.0, 0.0
    sizes = np.abs(array)
    return float(array.flat[0]), _least(float(sizes.max())) + RTOL * float(sizes.flat[0])


def _least(largest: float) -> float:
    """How far from a number of an array another may be at least, whatever its own size."""
    return ATOL * (largest if isnan(largest) else max(1.0, largest))


def _same_but_finite(mine: Floats, right: Floats) -> bool:
    """The same where ``right`` has numbers that are not finite."""
    finite = np.isfinite(right)
    if not np.array_equal(mine[~finite], right[~finite], equal_nan=True):
        return False
    return same(mine[finite], right[finite])


def single(array: Floats) -> Floats:
    """An array that has each number twice along its last axis, with each once; else as it is.

    So a program may keep what belongs to a pair of features.
    """
    if array.ndim and array.size and not array.shape[-1] % 2 and array.shape[-1]:
        half = array[..., ::2]
        if np.array_equal(half, array[..., 1::2]) and (half != half.flat[0]).any():
            return half
    return array
