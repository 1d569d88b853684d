"""Slips that show where values are the same and should differ, on small programs."""

from __future__ import annotations

import numpy as np

from grader.explain.trace import alike
from grader.explain.trace.cause import Causes
from grader.explain.trace.alignment import Comparison
from grader.grading.reading.shown import Slip
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


def compared(right: str, wrong: str, program: str) -> Comparison:
    assert program.count(right) == 1
    name = program[program.index("def ") + 4 : program.index("(x, w)")]
    return recorded_runs.compared(program.replace(right, wrong), program, name, X, W)


def unturned(comparison: Comparison) -> Slip | None:
    first = comparison.departures(len(comparison.mine.arrays) - 1)[0]
    return alike.unturned(comparison, Causes(comparison).of(first))


def test_a_line_that_depends_on_its_loop_by_another_name_is_none() -> None:
    assert unturned(compared("one = x[i]", "at = i; one = -x[at]", ROWS)) is None


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
