"""Finds the known mistake, or the two together, that explain every wrong number seen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.grading.predictions import Arrays, Predicted, came_back, same
from grader.protocol.probe import Call
from grader.rubric import Evidence, Misconception, Rubric

MOST_FOR_PAIRS = 100_000
"""The largest trial, in numbers, on which to try thousands of pairs; others are large."""

SEVERAL = 2
"""Trials that are explained beside the first, after which a large one need only be wrong."""

MOST_WORK = 400_000_000
"""How many numbers all predictions for one file may cover, so that every search ends.

Not seconds: the same file must get the same report on every machine.
"""

ROUGH = 4.0
"""Times the tolerance of trials with slack: a mistake may make what is rounded much larger."""

MOST_ON_PAIRS = 10_000_000
"""The same for pairs alone: a tenth of a second. Those with a failed check come first."""

EACH = 2_500
"""What predicting one call costs besides its numbers, and the same again for each weight."""

Mistakes = tuple[Misconception, ...]


class _Enough(Exception):
    """The search took too long."""


@dataclass(frozen=True)
class Explanation:
    """Misconceptions that together produce exactly the numbers seen.

    ``complete`` says that whole forward passes were seen, not only single helpers.
    """

    mistakes: tuple[Misconception, ...]
    complete: bool


def diagnose(
    rubric: Rubric, evidence: Evidence, failed: Collection[str] = ()
) -> Explanation | None:
    """The first misconception, else the first pair, that explains what was seen.

    Errors speak for themselves: there must be wrong numbers to explain. Of the pairs, those come
    first that the ``failed`` checks are about.
    """
    try:
        return _diagnosed(rubric, evidence, failed)
    except _Enough:
        return None


def _diagnosed(rubric: Rubric, evidence: Evidence, failed: Collection[str]) -> Explanation | None:
    search = _Search(evidence)
    seen = search.seen
    wrong = [name for name in seen if search.whole(name) and not search.fits(name, ())]
    if not wrong:
        return None
    order = sorted(seen, key=lambda name: (name not in wrong, search.cost(name)))
    forwards = [name for name in order if not evidence.trials[name].part]
    complete = any(search.whole(name) for name in forwards)
    for names in (order, forwards) if forwards and forwards[0] in wrong else (order,):
        few = search.size(names[0]) <= MOST_FOR_PAIRS
        first = search.first(names[0], forwards)
        for several in (False, True) if few and first else (False,):
            every: Iterable[Mistakes] = [(one,) for one in rubric.misconceptions if first]
            if several:
                every = search.pairs(_likely_pairs(rubric, failed), names[0], forwards)
            fitting = []
            for mistakes in every:
                if all(search.fits(name, mistakes) for name in first):
                    fitting.append(mistakes)
                    if search.explains(names[1:], mistakes, lenient=False):
                        return Explanation(mistakes, complete)
            for mistakes in fitting:
                if search.explains(names[1:], mistakes, lenient=True):
                    return Explanation(mistakes, complete)
    return None


def _likely_pairs(rubric: Rubric, failed: Collection[str]) -> Iterator[Mistakes]:
    """Every compatible pair; those first of which one is about a failed check."""
    parts = {part for one in rubric.checks if one.id in failed for part in one.parts}
    every = [(one, frozenset(one.knobs), one.part in parts) for one in rubric.misconceptions]
    for first in (True, False):
        for (left, knobs, likely), (right, others, too) in combinations(every, 2):
            if (likely or too) is first and knobs.isdisjoint(others):
                yield left, right


class _Search:
    """Compares what was seen with what mistakes predict, no two of them twice."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.seen = came_back(evidence)
        self._changes: dict[tuple[str, int], bool] = {}
        self._fits: dict[tuple[str, tuple[int, ...]], bool] = {}
        self._work = 0
        self._left = MOST_ON_PAIRS
        self._silent: dict[int, bool] = {}
        self._costs: dict[str, int] = {}
        self._sizes: dict[str, int] = {}

    def whole(self, name: str) -> bool:
        """Whether trial ``name`` returned every array."""
        return all(array is not None for array in self.seen[name].values())

    def size(self, name: str) -> int:
        """How many numbers trial ``name`` covers, scores too: predicting it costs accordingly.

        Not what came back: the learner's code can make that any size. Of a long text only the end
        may be looked at, so what goes in counts if the trial has a view.
        """
        if name not in self._sizes:
            given, expected = self._evidence.inputs(name), self._evidence.expected(name)
            covered = [*self._evidence.weights(name).values(), *expected.values()]
            covered += given if self._evidence.trials[name].view is not None else ()
            self._sizes[name] = sum(one.size for one in covered) + sum(map(_scores, given))
        return self._sizes[name]

    def cost(self, name: str) -> int:
        """What a prediction of trial ``name`` takes: its numbers, calls and weights."""
        if name not in self._costs:
            actions = self._evidence.trials[name].probe.actions
            calls = sum(isinstance(one, Call) for one in actions)
            weights = len(self._evidence.weights(name))
            self._costs[name] = calls * EACH * (1 + weights) + self.size(name)
        return self._costs[name]

    def first(self, name: str, forwards: list[str]) -> list[str]:
        """Trial ``name``; before a large one, small ones that the mistakes must fit too.

        Empty where a large one has no small ones beside it: all these ended in errors.
        """
        if self.size(name) <= MOST_FOR_PAIRS:
            return [name]
        small = sorted((one for one in forwards if self.whole(one)), key=self.size)
        if small[:1] == [name]:
            return []
        return [*(one for one in small[:2] if one != name), name]

    def fits(self, name: str, mistakes: Mistakes) -> bool:
        """Whether these mistakes together produce the numbers of trial ``name``."""
        if len(mistakes) > 1:
            mistakes = tuple(one for one in mistakes if self._matters(name, one))
        key = name, tuple(map(id, mistakes))
        if key not in self._fits:
            self._fits[key] = self._agrees(name, self.seen[name], mistakes)
        return self._fits[key]

    def _matters(self, name: str, one: Misconception) -> bool:
        """Whether the mistake changes what trial ``name`` returns."""
        if (name, id(one)) not in self._changes:
            right: Arrays = dict(self._evidence.expected(name))
            self._changes[name, id(one)] = not self._agrees(name, right, (one,))
        return self._changes[name, id(one)]

    def _agrees(self, name: str, arrays: Arrays, mistakes: Mistakes) -> bool:
        self._work += self.cost(name)
        if self._work > MOST_WORK:
            raise _Enough
        predicted = self._predicted(name, mistakes)
        rough = mistakes and self._evidence.trials[name].slack > 1.0
        if rough and predicted is not None:
            arrays = {path: self._filled(name, path, predicted, arrays) for path in arrays}
        times = ROUGH if rough else 1.0
        return predicted is None or same(self._evidence, name, arrays, predicted, times)

    def _filled(
        self, name: str, path: str, predicted: Predicted, arrays: Arrays
    ) -> npt.NDArray[np.generic] | None:
        """An array with what is predicted in place of NaN, if its other numbers are wrong as well.

        A mistake may make of large numbers such as overflow before the end.
        """
        array, want = arrays[path], predicted.get(path)
        right = self._evidence.expected(name)[path]
        if array is None or not isinstance(want, np.ndarray) or array.dtype.kind != "f":
            return array
        lost = np.isnan(array)
        if not lost.any() or array.shape != want.shape or array.shape != right.shape:
            return array
        if self._evidence.close(name, np.where(lost, right, array), right):
            return array
        return np.where(lost, want, array)

    def _predicted(self, name: str, mistakes: Mistakes) -> Predicted | None:
        """What trial ``name`` gives with these mistakes."""
        if len(mistakes) != 1:
            return self._evidence.formula(name, _together(mistakes))
        return self._evidence.predicted(name, mistakes[0].knobs)

    def pairs(
        self, every: Iterable[Mistakes], wrong: str, forwards: list[str]
    ) -> Iterator[Mistakes]:
        """Those of the pairs that may explain trial ``wrong``, until they took too much.

        Without those that would show where all is right. None if most trials ended in errors: two
        mistakes fit the few numbers by chance.
        """
        if 2 * sum(map(self.whole, self.seen)) < len(self.seen):
            return
        began, left = self._work, self._left
        small = (name for name in forwards if self.size(name) <= MOST_FOR_PAIRS)
        right = [name for name in small if self.whole(name) and self.fits(name, ())]
        for one, other in every:  # thousands: what is asked of each must be cheap
            self._left = left - (self._work - began)
            if self._left < 0:
                return
            here = self._matters(wrong, one) and self._matters(wrong, other)
            here = here or self.fits(wrong, (one,)) or self.fits(wrong, (other,))
            if here and self._is_silent(one, right) and self._is_silent(other, right):
                yield one, other

    def _is_silent(self, one: Misconception, right: list[str]) -> bool:
        """Whether the mistake changes none of the trials that are right."""
        if id(one) not in self._silent:
            self._silent[id(one)] = not any(self._matters(name, one) for name in right)
        return self._silent[id(one)]

    def explains(self, names: list[str], mistakes: Mistakes, *, lenient: bool) -> bool:
        """Whether these mistakes produce the numbers of the named trials.

        ``lenient`` lets a helper be right alone: then the mistake is where it is called. It also
        skips trials that ended in an error, unless most did; what came before that must fit. A
        large trial need only be wrong once several small ones are explained: predicting one with a
        head for each number takes a second.
        """
        rest, explained = [], 0
        for name in names:  # smallest first
            if explained >= SEVERAL and self._is_large_and_wrong(name):
                continue
            if self.fits(name, mistakes):
                explained += 1
                continue
            if not lenient or not self._passed_over(name, mistakes):
                return False
            rest.append(name)
        errors = [name for name in rest if not self.whole(name)]
        return len(errors) <= len(names) - len(rest) + 1

    def _is_large_and_wrong(self, name: str) -> bool:
        large = self.size(name) > MOST_FOR_PAIRS
        return large and self.whole(name) and not self.fits(name, ())

    def _passed_over(self, name: str, mistakes: Mistakes) -> bool:
        """Whether a trial does not count: not of one that gave other numbers before its error."""
        if self._evidence.trials[name].part:
            return self.fits(name, ())
        came: Arrays = {path: one for path, one in self.seen[name].items() if one is not None}
        return not self.whole(name) and (not came or self._agrees(name, came, mistakes))


def _scores(array: npt.NDArray[np.generic]) -> int:
    """How many scores each head has of a text of vectors or of ids."""
    length = array.shape[-1 if array.dtype.kind in "iu" else -2] if array.ndim > 1 else 1
    return length**2


def _together(mistakes: Mistakes) -> dict[str, Any]:
    return {knob: value for one in mistakes for knob, value in one.knobs.items()}
