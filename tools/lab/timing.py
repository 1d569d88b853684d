"""Two ways to compute the same, timed in turns in one run."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from timeit import Timer

Clock = Callable[[], float]
Work = Callable[[], object]

TURN = 0.05
"""How many seconds a turn takes at least: a short call is repeated as often as that needs.

What ran before, the other side above all, disturbs only the first calls of a turn.
"""

ALIKE = 1.1
"""Two sides are about the same if neither is more than this many times faster."""

TENFOLD = 10.0
"""From here on a ratio is printed without decimals."""

SHORTEST = 1e-5
"""A call that seems to take less than these seconds is repeated as if it took them."""


@dataclass(frozen=True)
class Pair:
    """The usual way and the other one, on inputs of one size; each returns when it is done."""

    size: str
    base: Work
    other: Work


@dataclass(frozen=True)
class Compared:
    """Seconds of a call on each side, in the shortest and in the median turn.

    Whatever else the machine does only makes a turn longer. So the shortest is the figure, and
    the median shows how disturbed it was.
    """

    size: str
    base: float
    other: float
    base_median: float
    other_median: float

    @property
    def ratio(self) -> float:
        """How many times faster the other side is, by the shortest turns."""
        return self.base / self.other

    @property
    def ratio_of_medians(self) -> float:
        """The same by the median turns."""
        return self.base_median / self.other_median

    @property
    def answer(self) -> str:
        """How many times faster the other side is: from one ratio to the other.

        Where one ratio says faster and the other slower, it says that they are about the same, or
        that it is not clear.
        """
        low, high = sorted((self.ratio, self.ratio_of_medians))
        said = " to ".join(dict.fromkeys((_times(low), _times(high))))
        if not low < 1 < high:
            return said
        return f"about the same: {said}" if high < ALIKE > 1 / low else f"not clear: {said}"


def _times(ratio: float) -> str:
    """A ratio, with the digits that a measurement has."""
    return f"{ratio:.2f}" if ratio < TENFOLD else f"{ratio:.0f}"


def compare(pair: Pair, turns: int, clock: Clock = time.perf_counter) -> Compared:
    """Time both sides one after the other, ``turns`` times, after one call that does not count.

    Raises:
        ValueError: if there is no turn to count.
    """
    if turns < 1:
        raise ValueError(f"at least one turn is needed, got {turns}")
    sides = (pair.base, pair.other)
    calls = [math.ceil(TURN / max(_time(side, 1, clock), SHORTEST)) for side in sides]
    base, other = zip(
        *[[_time(*each, clock) for each in zip(sides, calls, strict=True)] for _ in range(turns)],
        strict=True,
    )
    middle = statistics.median
    return Compared(pair.size, min(base), min(other), middle(base), middle(other))


def _time(work: Work, calls: int, clock: Clock) -> float:
    """Seconds of one of so many calls."""
    return Timer(work, timer=clock).timeit(calls) / calls
