"""Branches that do not run: an argument that a call leaves out, a return that comes too early."""

from __future__ import annotations

import numpy as np

from grader.explain.trace.cause import Cause
from grader.explain.trace.early import returned_early
from grader.explain.trace.alignment import Comparison
from tests import recorded_runs

RIGHT = """\
import numpy as np

def attend(q, k, v, m):
    scores = q @ k.T
    masked = scores + m
    weights = np.exp(masked)
    return weights @ v
"""

EARLY = """\
import numpy as np

def mix(q, k, v, m):
    if q.shape[0] <= 4:
        return v
    low = q @ k.T + m
    return np.exp(low) @ v

def attend(q, k, v, m):
    return mix(q, k, v, m)
"""

GIVEN = list(np.random.default_rng(5).normal(size=(3, 4, 6)))
MASK = np.triu(np.full((4, 4), -5.0), 1)


def compared(mine: str) -> Comparison:
    return recorded_runs.compared(mine, RIGHT, "attend", *GIVEN, MASK)


def result(comparison: Comparison, value: int = -1) -> int:
    return comparison.mine.places[value].value


def test_what_is_returned_early_and_right_is_not_told() -> None:
    mine = EARLY.replace("return v\n", "return np.exp(q @ k.T + m) @ v\n")
    comparison = compared(mine)
    have, want = result(comparison), comparison.right.places[-1].value
    cause = Cause(0, have, want)
    assert returned_early(comparison, cause) is None


def test_a_program_with_patterns_is_followed() -> None:
    mine = RIGHT.replace(
        "scores = q @ k.T",
        """match q.dtype.kind:
        case np.newaxis | "i":
            scores = q
        case str() as kind if kind == "f":
            scores = q @ k.T""",
    )
    assert mine != RIGHT
    comparison = compared(mine)
    assert comparison.known(result(comparison))
