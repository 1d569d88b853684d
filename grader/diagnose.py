"""Which known mistake, or which two together, explain every wrong number that was seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.compare import close
from grader.probe import SeenArray, SeenTensor
from grader.rubric import Evidence, Floats, Misconception, Rubric, State


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
    """The first single misconception, else the first pair, that explains what was seen."""
    seen = _seen(evidence)
    wrong = [name for name in seen if not _agrees(evidence, name, seen[name], {})]
    if not wrong:
        return None
    order = sorted(seen, key=lambda name: (name not in wrong, _size(seen[name])))
    complete = any(
        all(array is not None for array in seen[name].values())
        for name in seen
        if not evidence.trials[name].part
    )
    for mistakes in _candidates(rubric.misconceptions):
        knobs = {knob: value for one in mistakes for knob, value in one.knobs.items()}
        if _explains(evidence, order, seen, knobs):
            return Explanation(mistakes, complete)
    return None


def _explains(
    evidence: Evidence, order: list[str], seen: dict[str, Arrays], knobs: Mapping[str, Any]
) -> bool:
    """Whether these knobs give every trial's numbers.

    A helper may also be right by itself: then the mistake is where it is called. One trial at
    least must be wrong without the knobs and right with them, which the first in ``order`` is.
    """
    return all(
        _agrees(evidence, name, seen[name], knobs)
        or (i > 0 and evidence.trials[name].part and _agrees(evidence, name, seen[name], {}))
        for i, name in enumerate(order)
    )


def _candidates(
    known: tuple[Misconception, ...],
) -> Iterator[tuple[Misconception, ...]]:
    """Singles first, then pairs that turn different knobs."""
    for one in known:
        yield (one,)
    for left, right in combinations(known, 2):
        if not set(left.knobs) & set(right.knobs):
            yield left, right


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


def _agrees(
    evidence: Evidence, name: str, arrays: Arrays, knobs: Mapping[str, Any]
) -> bool:
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
        elif not close(array, want):
            return False
    return True


def _size(arrays: Arrays) -> int:
    return sum(array.size for array in arrays.values() if array is not None)
