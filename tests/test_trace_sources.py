"""What is told where it is made, and not where it is used: factors, pairs, options, returns."""

from __future__ import annotations

import math

import numpy as np

from grader.explain.trace.retried import Retried
from grader.explain.trace.alignment import Comparison, Departure
from tests import recorded_runs
from tests.marks import any_numbers

pytestmark = any_numbers

RIGHT = """\
import math

def turn(x, table):
    even, odd = x[..., 0::2], x[..., 1::2]
    cos, sin = table
    new_even = even * cos - odd * sin
    new_odd = even * sin + odd * cos
    return new_even, new_odd

def attend(query, key, value):
    scores = query @ key.T
    scaled = scores / math.sqrt(query.shape[-1])
    return turn(scaled @ value, (value.sum(axis=0)[0::2], value.mean(axis=0)[1::2]))[1]
"""

MINE = """\
import math

def root(x):
    return math.sqrt(x.shape[-1])

def rotate(x, w):
    a, b = x[..., 0::2], x[..., 1::2]
    c, s = w
    c2 = a * c - b * s
    return c2, a * s + b * c

def attend(q, k, v):
    rate = q.shape[-1] ** -0.5
    s = (q * rate) @ k.T
    w = v.sum(axis=0)[0::2], v.mean(axis=0)[1::2]
    return rotate(s @ v, w)[1]
"""

RANDOM = np.random.default_rng(5)
GIVEN = [RANDOM.normal(size=(4, width)) for width in (5, 5, 6)]


def compared(right: str, wrong: str) -> Comparison:
    assert MINE.count(right) == 1, right
    return recorded_runs.compared(MINE.replace(right, wrong), RIGHT, "attend", *GIVEN)


def left(comparison: Comparison) -> tuple[Departure, ...]:
    return comparison.departures(len(comparison.mine.arrays) - 1)


TURNED = """\
def scores(q, k, scale):
    return scale * (q @ k.T) + q.sum()
"""


def test_a_sign_that_is_turned_again_is_right() -> None:
    twice = (
        "def scores(q, k, scale):\n    e = -(q @ k.T)\n    e = -scale * e\n    return e + q.sum()\n"
    )
    for wrong, line in ((twice.replace("-scale", "scale"), 2), (twice.replace("-(", "+("), 3)):
        comparison = recorded_runs.compared(wrong, TURNED, "scores", *GIVEN[:2], 0.5)
        (first,) = left(comparison)
        assert comparison.mine.line(first.node) == line
        assert first.relation is not None
        assert first.relation.factor == -1
    assert not left(recorded_runs.compared(twice, TURNED, "scores", *GIVEN[:2], 0.5))


HELPED = """\
import numpy as np

def scaled(x, n):
    return x * 2 + np.exp(x / n * math.log(n))
"""


def test_a_function_of_a_plain_number_is_varied_as_well() -> None:
    mine = "import math\n" + HELPED.replace("math.log(", "math.log10(")
    comparison = recorded_runs.compared(mine, "import math\n" + HELPED, "scaled", GIVEN[0], 7)
    found = Retried(comparison).found([len(comparison.mine.arrays) - 1])
    assert found is not None
    assert found.text == "x / n * math.log(n)"


def test_an_operand_of_an_operand_is_tried_with_another_variable() -> None:
    right = "def turn(x, y, c, s):\n    a = x * c - y * s\n    return y * c + x * s + a\n"
    wrong = right.replace("x * s +", "y * s +")
    given = (*GIVEN[:2], np.cos(GIVEN[0]), np.sin(GIVEN[0]))
    comparison = recorded_runs.compared(wrong, right, "turn", *given)
    found = Retried(comparison).found([len(comparison.mine.arrays) - 1])
    assert found is not None
    assert found.text == "y * c + x * s"


def test_the_right_program_is_right() -> None:
    comparison = recorded_runs.compared(MINE, RIGHT, "attend", *GIVEN)
    assert not left(comparison)
    assert math.isclose(GIVEN[0].shape[-1] ** -0.5, 1 / math.sqrt(5))
