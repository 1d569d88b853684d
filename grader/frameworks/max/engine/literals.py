"""Converts a program's numbers and nested lists to arrays; MAX reads lists number by number.

That takes MAX six seconds for a mask of 1024 tokens. Only values with one exact meaning are
converted here: MAX reads everything else itself, and finds every error.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from max.dtype import DType

LARGEST = {DType.float32: 3e38, DType.float64: 1.7e308}
"""Finite floats beyond this are left to MAX; a float32 ends at 3.4e38."""

WHOLE = {
    DType.float32: 1 << 24,
    DType.float64: 1 << 53,
    DType.int32: (1 << 31) - 1,
    DType.int64: (1 << 63) - 1,
    DType.uint64: (1 << 63) - 1,
}
"""The largest integer up to which each dtype is exact."""


MOST = 1 << 23
"""The most numbers of a list that are read here: eight masks of 1024 tokens; more are MAX's."""


def array(value: Any, dtype: DType | None) -> np.ndarray[Any, Any] | None:
    """Convert a number or a nested list of numbers to an array; None if MAX must do it."""
    numbers = _flat(value) if type(value) in (list, tuple) else (value,)
    if dtype is None or not numbers or not _exact(numbers, dtype):
        return None
    if type(value) is bool:
        return None  # MAX does not accept an array that is one bool
    try:
        return np.array(value, dtype.to_numpy())
    except ValueError:  # rows of several lengths
        return None


def _flat(value: Sequence[Any]) -> Sequence[Any] | None:
    """Return the numbers of a nested list; None if too many, or if only some items are lists."""
    while value and type(value[0]) in (list, tuple):
        if not all(type(row) in (list, tuple) for row in value) or sum(map(len, value)) > MOST:
            return None
        value = list(chain.from_iterable(value))
    return value


def _exact(numbers: Sequence[Any], dtype: DType) -> bool:
    """Whether ``dtype`` represents all numbers exactly, or rounds them like any float."""
    kinds = set(map(type, numbers))
    if dtype == DType.bool:
        return kinds == {bool}
    if (float in kinds and dtype not in LARGEST) or not kinds <= {int, float}:
        return False
    if dtype not in WHOLE:
        return False
    low, high = 0 if dtype == DType.uint64 else -WHOLE[dtype], WHOLE[dtype]
    if not all(low <= one <= high for one in numbers if type(one) is int):
        return False
    floats = np.array([one for one in numbers if type(one) is float], np.float64)
    return not (np.isfinite(floats) & (np.abs(floats) >= LARGEST.get(dtype, 0))).any()
