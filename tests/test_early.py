"""Branches that do not run: an argument that a call leaves out, a return that comes too early."""

from __future__ import annotations

import numpy as np
import pytest

from grader.grading.following.branches import skipped
from grader.grading.following.cause import Cause
from grader.grading.following.early import returned_early
from grader.grading.following.trace import Comparison
from tests import recorded_runs

RIGHT = """\
import numpy as np

def attend(q, k, v, m):
    scores = q @ k.T
    masked = scores + m
    weights = np.exp(masked)
    return weights @ v
"""

HELPER = """\
import numpy as np

def mix(q, k, v, bias=None):
    low = q @ k.T
    if bias is not None:
        low = low + bias
    return np.exp(low) @ v

def attend(q, k, v, m):
    bias = 1.0 * m
    return mix(q, k, v)
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


@pytest.mark.parametrize(
    ("edits", "write"),
    [
        ([], "mix(q, k, v, bias)"),
        ([("v, bias=None", "v, *, bias=None")], "mix(q, k, v, bias=bias)"),
        ([("mix(q, k, v)\n", "mix(q, k, v, None)\n")], ""),
    ],
)
def test_a_call_that_leaves_out_what_its_function_asks_for_is_told(
    edits: list[tuple[str, str]], write: str
) -> None:
    mine = HELPER
    for old, new in edits:
        assert old in mine
        mine = mine.replace(old, new)
    found = skipped(compared(mine), None)
    assert found is not None
    assert (found[0], found[2]) == (11, write)
    assert "Line 11 calls mix with" in found[1]
    assert "line 6 does not run" in found[1]


def test_a_return_that_comes_too_early_is_told_with_its_condition() -> None:
    comparison = compared(EARLY)
    have = result(comparison)
    want = comparison.right.places[-1].value
    found = returned_early(comparison, Cause(0, have, want))
    assert found is not None
    assert found[0] == 4
    assert "q.shape[0] <= 4 is true here, so line 5 returns v" in found[1]


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


GUARDED = """\
import numpy as np

def attend(q, k, v, m, plain=False):
    masked = q @ k.T + m
    if plain:
        weights = np.exp(masked + m)
        return weights @ v
    weights = np.exp(masked)
    return (weights / weights.sum()) @ v
"""


def test_what_a_branch_makes_itself_it_does_not_take_from_elsewhere() -> None:
    assert skipped(compared(GUARDED), None) is None
