"""Whether two arrays have the same numbers, and how to say that they do not."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

RELATIVE = 2e-4
ABSOLUTE = 2e-5
"""Float32 arithmetic on values of order 1, a few hundred terms per sum, against float64."""

LAST_BIT = 2.0**-24
"""What rounding to float32 changes at most, relative to the number."""

MASKED = 1e20
"""Numbers beyond this stand for minus infinity in a mask, and do not affect the scale."""


@dataclass(frozen=True)
class Difference:
    """How far an array is from the right one, and where it differs most."""

    wrong: int
    total: int
    largest: float
    index: tuple[int, ...]
    seen: float
    expected: float

    def __str__(self) -> str:
        where = ", ".join(map(str, self.index))
        return (
            f"{self.wrong} of {self.total} numbers differ; at [{where}] yours is "
            f"{self.seen:.4g}, expected {self.expected:.4g}"
        )


def rounding(condition: float, length: int) -> float:
    """The slack where rounding in float32 is felt ``condition`` times as much as it usually is.

    It is felt so where numbers cancel that are ``condition`` times as large as what is left of
    them. Sums of ``length`` numbers round by the root of that often.
    """
    return 1.0 + condition * math.sqrt(length) * LAST_BIT / ABSOLUTE


def close(
    seen: npt.NDArray[np.generic], expected: npt.NDArray[np.generic], slack: float = 1.0
) -> bool:
    """Whether ``seen`` has the numbers of ``expected``: same shape, same NaN and infinities.

    ``slack`` multiplies the tolerance.
    """
    if seen.shape != expected.shape or not _numeric(seen):
        return False
    want = expected.astype(np.float64)
    return bool(_same(seen.astype(np.float64), want, slack).all())


def difference(
    seen: npt.NDArray[np.generic], expected: npt.NDArray[np.generic], slack: float = 1.0
) -> Difference:
    """Where ``seen`` differs most from ``expected``, which has the same shape."""
    have, want = seen.astype(np.float64), expected.astype(np.float64)
    same = _same(have, want, slack)
    gap = np.abs(have - want)
    gap = np.where(same, -1.0, np.where(np.isfinite(gap), gap, np.inf))
    index = tuple(int(i) for i in np.unravel_index(int(np.argmax(gap)), gap.shape))
    return Difference(
        wrong=int((~same).sum()),
        total=int(same.size),
        largest=float(gap[index]),
        index=index,
        seen=float(have[index]),
        expected=float(want[index]),
    )


def _numeric(array: npt.NDArray[np.generic]) -> bool:
    return array.dtype.kind in "fiub"


def _same(
    have: npt.NDArray[np.float64], want: npt.NDArray[np.float64], slack: float
) -> npt.NDArray[np.bool_]:
    """Number by number, with an absolute tolerance that grows with the size of the numbers."""
    ordinary = want[np.abs(want) < MASKED]
    scale = max(1.0, float(np.abs(ordinary).max())) if ordinary.size else 1.0
    most, part = ABSOLUTE * scale * slack, RELATIVE * slack
    if ordinary.size < want.size:  # some are hidden, infinite or no number
        return np.isclose(have, want, rtol=part, atol=most, equal_nan=True)
    same: npt.NDArray[np.bool_] = np.abs(have - want) <= most + part * np.abs(want)
    return same
