"""Two ways to compute the same, timed in turns in one run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

Clock = Callable[[], float]
Work = Callable[[], object]

FAR_APART = 1.5
"""Ratios of the shortest and of the median turns that differ by more than this say nothing."""


@dataclass(frozen=True)
class Pair:
    """The usual way and the other one, on inputs of one size; each returns when it is done."""

    size: str
    base: Work
    other: Work


@dataclass(frozen=True)
class Compared:
    """Seconds of each side, the shortest and the median of all turns.

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

        There is no answer if one ratio says faster and the other slower, or if they are far apart.
        """
        low, high = sorted((self.ratio, self.ratio_of_medians))
        if low < 1 < high or high > FAR_APART * low:
            return "not clear: the machine was busy"
        ends = dict.fromkeys((f"{low:.2f}", f"{high:.2f}"))
        return " to ".join(ends)


def compare(pair: Pair, turns: int, clock: Clock = time.perf_counter) -> Compared:
    """Time both sides one after the other, ``turns`` times, after one turn that does not count.

    Raises:
        ValueError: if there is no turn to count.
    """
    if turns < 1:
        raise ValueError(f"at least one turn is needed, got {turns}")
    base, other = zip(*[_turn(pair, clock) for _ in range(turns + 1)][1:], strict=True)
    middle = statistics.median
    return Compared(pair.size, min(base), min(other), middle(base), middle(other))


def _turn(pair: Pair, clock: Clock) -> tuple[float, float]:
    started = clock()
    pair.base()
    between = clock()
    pair.other()
    return between - started, clock() - between
