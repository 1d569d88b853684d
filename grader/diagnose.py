"""Which known mistake, or which two together, explain every wrong number that was seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.probe import SeenArray, SeenTensor
from grader.rubric import Evidence, Floats, Misconception, Rubric, State

HUGE = 1e30
"""Numbers beyond this come out of float32 arithmetic as infinity or NaN."""

Arrays = dict[str, npt.NDArray[np.generic] | None]


@dataclass(frozen=True)
class Explanation:
    """Misconceptions that together give exactly the numbers that were seen.

    ``complete`` says that whole forward passes were seen, not only helpers by themselves.
    """

    mistakes: tuple[Misconception, ...]
    complete: bool

    @property
    def blames(self) -> tuple[str, ...]:
        """The checks that the mistakes break, without repetition."""
        return tuple(dict.fromkeys(check for one in self.mistakes for check in one.blames))


def diagnose(rubric: Rubric, evidence: Evidence) -> Explanation | None:
    """The first single misconception, else the first pair, that explains what was seen.

    Errors speak for themselves: there must be wrong numbers to explain.
    """
    seen = _seen(evidence)
    wrong = [
        name
        for name in seen
        if all(array is not None for array in seen[name].values())
        and not _agrees(evidence, name, seen[name], {})
    ]
    if not wrong:
        return None
    order = sorted(seen, key=lambda name: (name not in wrong, _size(seen[name])))
    complete = any(
        all(array is not None for array in seen[name].values())
        for name in seen
        if not evidence.trials[name].part
    )
    singles = tuple((one,) for one in rubric.misconceptions)
    pairs = tuple(
        (left, right)
        for left, right in combinations(rubric.misconceptions, 2)
        if not set(left.knobs) & set(right.knobs)
    )
    for candidates in (singles, pairs):
        fitting = [
            (mistakes, knobs)
            for mistakes in candidates
            if _agrees(evidence, order[0], seen[order[0]], knobs := _together(mistakes))
        ]
        for lenient in (False, True):
            for mistakes, knobs in fitting:
                if _explains(evidence, order[1:], seen, knobs, lenient=lenient):
                    return Explanation(mistakes, complete)
    return None


def _together(mistakes: tuple[Misconception, ...]) -> dict[str, Any]:
    return {knob: value for one in mistakes for knob, value in one.knobs.items()}


def _explains(
    evidence: Evidence,
    names: list[str],
    seen: dict[str, Arrays],
    knobs: Mapping[str, Any],
    *,
    lenient: bool,
) -> bool:
    """Whether these knobs give the numbers of the trials named.

    ``lenient`` lets a helper be right by itself: then the mistake is where it is called. It also
    passes over trials that ended in an error.
    """
    return all(
        _agrees(evidence, name, seen[name], knobs)
        or (lenient and _passed_over(evidence, name, seen[name]))
        for name in names
    )


def _passed_over(evidence: Evidence, name: str, arrays: Arrays) -> bool:
    if evidence.trials[name].part:
        return _agrees(evidence, name, arrays, {})
    return any(array is None for array in arrays.values())


def _seen(evidence: Evidence) -> dict[str, Arrays]:
    """For each trial with an oracle: the arrays that came back, ``None`` where it failed."""
    found: dict[str, Arrays] = {}
    for name in evidence.trials:
        arrays: Arrays = {}
        for path in evidence.expected(name):
            value = evidence.seen(name, path)
            if isinstance(value, SeenTensor | SeenArray):
                arrays[path] = value.array
            elif evidence.trials[name].part:
                continue
            elif evidence.state(name, path.split(".")[0]) in (State.SEEN, State.FAILED):
                arrays[path] = None
        if arrays:
            found[name] = arrays
    return found


def _agrees(evidence: Evidence, name: str, arrays: Arrays, knobs: Mapping[str, Any]) -> bool:
    """Whether the formula with these knobs gives what trial ``name`` showed.

    A formula that cannot be evaluated on these shapes predicts an error.
    """
    expect = evidence.trials[name].expect
    if expect is None:
        return True
    try:
        with np.errstate(all="ignore"):
            predicted: Mapping[str, Floats | None] = expect(**knobs)
    except (ValueError, IndexError):
        predicted = dict.fromkeys(arrays)
    for path, array in arrays.items():
        want = predicted.get(path)
        if array is None or want is None:
            if array is not want:
                return False
        elif not evidence.close(name, _overflowed(array, want), want):
            return False
    return True


def _overflowed(array: npt.NDArray[np.generic], want: Floats) -> npt.NDArray[np.generic]:
    """``array`` with the huge number in place of what float32 could not hold."""
    if array.shape != want.shape or array.dtype.kind != "f":
        return array
    lost = ~np.isfinite(array) & np.isfinite(want) & (np.abs(want) > HUGE)
    return np.where(lost, want, array)


def _size(arrays: Arrays) -> int:
    return sum(array.size for array in arrays.values() if array is not None)
