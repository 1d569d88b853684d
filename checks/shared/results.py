"""Rules about results that only some steps return: pairs, weights, masks, rotations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.rubric import (
    Call,
    Evidence,
    Failed,
    NotRun,
    Passed,
    Rule,
    Ruling,
    Seen,
    SeenArray,
    SeenTensor,
    close,
    rules,
)

Numbers = npt.NDArray[np.float64]


def pair(*trials: str, first: str, second: str) -> Rule:
    """Every call returns a pair of what ``first`` and ``second`` name, in this order."""

    def rule(evidence: Evidence) -> Ruling:
        for name in evidence.matching(*trials):
            for action in evidence.trials[name].probe.actions:
                if not isinstance(action, Call):
                    continue
                seen = evidence.seen(name, action.name)
                if not isinstance(seen, tuple | list) or len(seen) != 2:
                    return Failed(
                        f"{action.method} returned {_described(seen)}, expected two tensors",
                        f"End with 'return {first}, {second}'.",
                    )
                if _twice(evidence, name, action.name, seen):
                    return Failed(
                        f"{action.method} returned the same tensor twice",
                        f"End with 'return {first}, {second}'.",
                    )
        return Passed()

    return rule


def _twice(evidence: Evidence, trial: str, call: str, seen: Sequence[Seen]) -> bool:
    """Whether the two results of a call are equal although different ones are expected."""
    one, other = seen
    want = [evidence.expected(trial).get(f"{call}.{index}") for index in (0, 1)]
    if not isinstance(one, SeenTensor) or not isinstance(other, SeenTensor):
        return False
    if want[0] is None or want[1] is None or np.array_equal(want[0], want[1]):
        return False
    return np.array_equal(one.array, other.array)


def answers(*trials: str) -> Rule:
    """Every call returns something."""

    def rule(evidence: Evidence) -> Ruling:
        for name in evidence.matching(*trials):
            for action in evidence.trials[name].probe.actions:
                if isinstance(action, Call) and evidence.seen(name, action.name) is None:
                    what = action.method or "The layer"
                    return Failed(
                        f"{what} returned None", "Does every path of the function end in a return?"
                    )
        return Passed()

    return rule


def works(*trials: str) -> Rule:
    """Every call returns a tensor of the right shape."""
    return rules.all_of(
        rules.runs(*trials), answers(*trials), rules.tensors(*trials), rules.shapes(*trials)
    )


def rows_sum_to_one(*trials: str, path: str) -> Rule:
    """The weights at ``path`` sum to 1 over the last dimension, and none is negative.

    In a trial with several calls in turn, this applies to ``path`` of each call.
    """

    def rule(evidence: Evidence) -> Ruling:
        for name, each in _each(evidence, trials, path):
            weights = numbers_at(evidence, name, each)
            if weights is None or weights.ndim < 1:
                return NotRun()
            sums = weights.sum(axis=-1)
            wrong = sums[~np.isclose(sums, 1.0, atol=1e-4)]
            if wrong.size:
                return Failed(
                    f"The weights of a query sum to {wrong.flat[0]:.4g}, expected 1",
                    wrong=((name, each),),
                )
            if (weights < 0).any():
                return Failed(
                    f"A weight is negative: {float(np.min(weights)):.4g}", wrong=((name, each),)
                )
        return Passed()

    return rule


def never_nan(*trials: str, path: str, scores: float = 100.0) -> Rule:
    """Softmax of scores plus the mask at ``path`` has no NaN in any row.

    It is computed in the mask's own type, as in a program. ``scores`` bounds the absolute scores.
    In a trial with several calls in turn, the mask is at ``path`` of each call.
    """

    def rule(evidence: Evidence) -> Ruling:
        for name, each in _each(evidence, trials, path):
            seen = evidence.observation(name).results.get(each)
            if not isinstance(seen, SeenTensor):
                return NotRun()
            kind: Any = np.float64 if seen.array.dtype == np.float64 else np.float32
            mask = seen.array.astype(kind)
            for sign in (-1.0, 1.0):
                masked = mask + kind(sign * scores)
                weights = np.exp(masked - masked.max(axis=-1, keepdims=True))
                if not np.isfinite(weights / weights.sum(axis=-1, keepdims=True)).all():
                    empty = bool(np.isneginf(mask).all(axis=-1).any())
                    said = EMPTY if empty else None
                    return Failed(said, wrong=((name, each),), likely=INFINITE)
        return Passed()

    return rule


INFINITE = r"() ~float\('-?inf'\)|\b(np|math)\.inf"
"""Where a program writes infinity."""

EMPTY = "A row of it is minus infinity everywhere. The lowest finite number hides as well"


def _each(evidence: Evidence, trials: tuple[str, ...], path: str) -> Iterator[tuple[str, str]]:
    """Yield each trial, with ``path`` or, for each call in turn, ``key-path``."""
    for name in evidence.matching(*trials):
        for one in evidence.expected(name):
            if one == path or one.endswith(f"-{path}"):
                yield name, one


def same_scores(trial: str, *, here: tuple[str, str], there: tuple[str, str]) -> Rule:
    """The products of queries and keys in ``here`` equal those in ``there``.

    Each names two calls of ``trial``: that of the queries and that of the keys.
    """

    def rule(evidence: Evidence) -> Ruling:
        arrays = [numbers_at(evidence, trial, path) for path in (*here, *there)]
        query, key, far_query, far_key = arrays
        if query is None or key is None or far_query is None or far_key is None:
            return NotRun()
        try:
            near = query @ key.swapaxes(-1, -2)
            far = far_query @ far_key.swapaxes(-1, -2)
        except ValueError:
            return NotRun()
        if close(far, near, slack=4.0):
            return Passed()
        return Failed(wrong=tuple((trial, path) for path in (*here, *there)))

    return rule


def agree(trial: str, first: str, second: str) -> Rule:
    """Two calls of ``trial`` returned the same numbers."""

    def rule(evidence: Evidence) -> Ruling:
        one, other = numbers_at(evidence, trial, first), numbers_at(evidence, trial, second)
        if one is None or other is None or one.shape != other.shape:
            return NotRun()
        return Passed() if close(other, one) else Failed(wrong=((trial, second),))

    return rule


def right(*trials: str) -> Rule:
    """The results are right; if not, the check's own sentence says what that means."""

    def rule(evidence: Evidence) -> Ruling:
        wrong = [name for name in evidence.matching(*trials) if not evidence.right(name)]
        if not wrong:
            return Passed()
        return Failed(
            wrong=tuple((name, path) for name in wrong for path in evidence.expected(name))
        )

    return rule


def numbers_at(evidence: Evidence, trial: str, path: str) -> Numbers | None:
    """Return the array at ``path`` as float64; None if there is none."""
    seen = evidence.seen(trial, path)
    return seen.array.astype(np.float64) if isinstance(seen, SeenTensor | SeenArray) else None


def _described(seen: Seen) -> str:
    """Describe what was returned instead of a pair."""
    match seen:
        case SeenTensor():
            return "one tensor"
        case tuple() | list():
            return f"{len(seen)} results"
        case None:
            return "None"
    return "something else"
