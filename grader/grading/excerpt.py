"""Cuts the window out of a wrong result that best shows how it differs from the right one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from grader.base.model import Excerpt, Grid
from grader.protocol.probe import SeenArray, SeenTensor
from grader.rubric import Evidence, Failed, Ruling
from grader.rubric.compare import difference
from grader.rubric.rules.queries import call_of

SIZE = 16
"""A window has at most this many rows and columns."""

LOOKED_AT = 12
"""At most this many wrong results compete."""


class _Candidate(NamedTuple):
    """A wrong result of the right shape, and the right one."""

    trial: str
    path: str
    seen: npt.NDArray[np.generic]
    want: npt.NDArray[np.float64]

    @property
    def worth(self) -> tuple[bool, int]:
        """A complete result is better than a part, and a larger one than a smaller."""
        rows, columns = _plane(self.want.shape)
        return max(rows, columns) <= SIZE and min(rows, columns) > 1, min(rows * columns, SIZE**2)


def cut(evidence: Evidence, rulings: Mapping[str, Ruling]) -> Excerpt | None:
    """The window of the first check that failed on numbers; None if there is no such check."""
    for check, ruling in rulings.items():
        if isinstance(ruling, Failed) and ruling.wrong:
            found = list(_candidates(evidence, ruling.wrong[:LOOKED_AT]))
            if found:
                best = max(found, key=lambda one: one.worth)
                return _window(check, evidence, best)
    return None


def _candidates(evidence: Evidence, wrong: tuple[tuple[str, str], ...]) -> Iterator[_Candidate]:
    """The results among ``wrong`` that can be shown next to the oracle's."""
    for trial, path in wrong:
        want = evidence.expected(trial).get(path)
        seen = evidence.seen(trial, path)
        if want is None or not want.size or not isinstance(seen, SeenTensor | SeenArray):
            continue
        numeric = seen.array.dtype.kind in "fiub"
        if (
            seen.array.shape == want.shape
            and numeric
            and not evidence.close(trial, seen.array, want)
        ):
            yield _Candidate(trial, path, seen.array, want)


def _plane(shape: tuple[int, ...]) -> tuple[int, int]:
    """How many rows and columns the last two dimensions have; a vector is one row."""
    return (1, 1, *shape)[-2], (1, *shape)[-1]


def _window(check: str, evidence: Evidence, one: _Candidate) -> Excerpt:
    shape = one.want.shape
    slack = evidence.trials[one.trial].slack
    at = difference(one.seen, one.want, slack).index
    front = at[:-2]
    rows, columns = _plane(shape)
    row, column = (0, 0, *at)[-2], (0, *at)[-1]
    down, across = _span(row, rows), _span(column, columns)
    have, want = (
        np.asarray(array[front], np.float64).reshape(rows, columns)[down, across]
        for array in (one.seen, one.want)
    )
    shown = [str(index) for index in front]
    shown += [f"{cut.start}:{cut.stop}" for cut in (down, across)][-max(len(shape), 1) :]
    what = call_of(evidence, one.trial, one.path)
    return Excerpt(
        check,
        f"{what}: [{', '.join(shown)}] of shape {list(shape)}",
        _grid(want),
        _grid(have),
        tuple(str(index) for index in range(down.start, down.stop)),
        tuple(str(index) for index in range(across.start, across.stop)),
    )


def _span(at: int, length: int) -> slice:
    """At most ``SIZE`` of ``length`` indices, including ``at``; from 0 if possible."""
    start = 0 if at < SIZE else min(at - SIZE // 2, length - SIZE)
    return slice(start, min(start + SIZE, length))


def _grid(array: npt.NDArray[np.float64]) -> Grid:
    return tuple(tuple(float(f"{value:.6g}") for value in row) for row in array.tolist())
