"""Slips that show where values are the same and should differ, on small programs."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from grader.grading.following import alike
from grader.grading.following.cause import Causes
from grader.grading.following.misgiven import selfless
from grader.grading.following.trace import Comparison
from grader.grading.reading.shown import Slip
from grader.protocol.probe import SeenError
from grader.source.endless import shared_list
from tests import recorded_runs

X, W = np.random.default_rng(3).normal(size=(2, 4, 4))

ROWS = """\
import numpy as np

def rows(x, w):
    out = []
    for i in range(4):
        one = x[i]
        out.append(one @ w)
    return np.stack(out)
"""

TWO = """\
def two(x, w):
    q = x @ w
    k = w @ x
    k = k[::-1]
    return q * k
"""


def compared(right: str, wrong: str, program: str) -> Comparison:
    assert program.count(right) == 1
    name = program[program.index("def ") + 4 : program.index("(x, w)")]
    return recorded_runs.compared(program.replace(right, wrong), program, name, X, W)


def unturned(comparison: Comparison) -> Slip | None:
    first = comparison.departures(len(comparison.mine.arrays) - 1)[0]
    return alike.unturned(comparison, Causes(comparison).of(first))


def test_a_line_that_depends_on_its_loop_by_another_name_is_none() -> None:
    assert unturned(compared("one = x[i]", "at = i; one = -x[at]", ROWS)) is None


@pytest.mark.parametrize(
    ("wrong", "line"),
    [("k = q[::-1]", 4), ("k = k[:, ::-1]", None), ("k = (w @ x)[:, ::-1]", None)],
)
def test_a_value_lost_before_it_is_used(wrong: str, line: int | None) -> None:
    slip = alike.overwritten(compared("k = k[::-1]", wrong, TWO))
    assert (slip.line if slip else None) == line


def test_one_list_for_every_turn_is_told_where_it_is_made() -> None:
    loop = "    for i in n:\n        row.append(i)\n        rows.append(row)\n"
    found = shared_list(ast.parse(f"def g(n):\n    rows = []\n    row = []\n{loop}"))
    assert found is not None
    assert (found[0], "before the loop on line 4" in found[1]) == (3, True)
    fresh = loop.replace("        row.append(i)", "        row = []\n        row.append(i)")
    assert shared_list(ast.parse(f"def g(n):\n    rows = []\n{fresh}")) is None


def test_a_method_without_self_is_told_with_its_head() -> None:
    program = "class A:\n    def f(x, y):\n        return x\n\ndef g():\n    return A().f(1, 2)\n"
    error = SeenError("TypeError", "A.f() takes 2 positional arguments but 3 were given", "call", 6)
    slip = selfless(ast.parse(program), error)
    assert slip is not None
    assert (slip.line, slip.write) == (2, "def f(self, x, y):")
    assert selfless(ast.parse(program.replace("(x, y)", "(self, x)")), error) is None


PARTS = """\
def parts(x, w):
    pairs = [(x + 1.0, w + 2.0)]
    a, b = pairs[0]
    return a * b
"""

PIECES = """\
def pieces(x, w):
    y = x @ w
    a = y[:2]
    b = y[2:]
    return a * b
"""


def test_the_parts_of_one_piece_are_not_the_same() -> None:
    program = f"import numpy as np\n\n{PARTS}"
    assert alike.copied(compared("x + 1.0, w + 2.0", "x + 1.5, w + 2.5", program)) is None
    slip = alike.copied(compared("b = y[2:]", "b = y[:2]", PIECES))
    assert slip is not None
    assert slip.said == "Lines 3 and 4 give a and b the same: y[:2]."
