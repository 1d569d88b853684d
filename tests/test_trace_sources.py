"""What is told where it is made, and not where it is used: factors, pairs, options, returns."""

from __future__ import annotations

import ast
import math

import numpy as np
import pytest

from grader.grading.following.cause import Causes
from grader.grading.following.complexes import made_of
from grader.grading.following.factors import misscaled
from grader.grading.following.options import misnamed
from grader.grading.following.retried import Retried
from grader.grading.following.scalars import Scalars
from grader.grading.following.trace import Comparison, Departure
from grader.grading.following.uncalled import uncalled
from grader.grading.reading.shared import shared
from grader.grading.reading.shown import Slip
from grader.protocol.probe import SeenCall, SeenError, SeenValue
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


def line_of(comparison: Comparison, code: str) -> int:
    lines = comparison.mine.source.splitlines()
    (found,) = [number for number, line in enumerate(lines, 1) if code in line]
    return found


def said(slip: Slip | None) -> tuple[int, str]:
    assert slip is not None
    return slip.line, slip.said


def test_a_factor_that_should_be_one_over_it_is_wrong_where_it_is_made() -> None:
    comparison = compared("** -0.5", "** 0.5")
    line, told = said(misscaled(comparison, left(comparison)))
    assert line == line_of(comparison, "rate = ")
    assert told.startswith(f"Line {line} gives ")
    assert told.endswith("0.4472, one over that.")


def test_a_helper_that_takes_the_size_of_another_axis_is_wrong_where_it_does() -> None:
    mine = MINE.replace("math.sqrt(x.shape[-1])", "x.shape[-2] ** -0.5")
    mine = mine.replace("(q * rate) @ k.T", "(q @ k.T) * root(q)")
    comparison = recorded_runs.compared(mine, RIGHT, "attend", *GIVEN)
    line, told = said(misscaled(comparison, left(comparison)))
    assert line == line_of(comparison, "x.shape[-2]")
    assert told.endswith(
        "takes x.shape[-2], which is 4 here. The reference takes 5, as x.shape[-1] is."
    )


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


def test_a_divisor_that_is_multiplied_by_is_wrong_where_that_is_done() -> None:
    named = MINE.replace("** -0.5", "** 0.5").replace("rate", "root_d")
    comparison = recorded_runs.compared(named, RIGHT, "attend", *GIVEN)
    line, _ = said(misscaled(comparison, left(comparison)))
    assert line == line_of(comparison, "q * root_d")


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


def test_a_tensor_that_is_to_be_taken_as_it_is() -> None:
    right = "def add(x, y):\n    return x + y\n"
    wrong = "def add(x, y):\n    return x + (1.0 - y) * -1e9\n"
    comparison = recorded_runs.compared(wrong, right, "add", *GIVEN[:2])
    found = Retried(comparison).found([len(comparison.mine.arrays) - 1])
    assert found is not None
    assert found.text == "y"


def test_what_a_dict_hands_over_is_followed() -> None:
    right = "def both(x, y):\n    return x @ y.T\n\ndef use(x, y):\n    return both(x, y * 2)\n"
    mine = "d = {'x': x}\n    d['y'] = y * 3\n    return joined(**d)\n"
    head = "from operator import matmul\n\njoined = lambda x, y: matmul(x, y.T)\n"
    mine = f"{head}\ndef use(x, y):\n    {mine}"
    comparison = recorded_runs.compared(mine, right, "use", *GIVEN[:2])
    call = next(n for n in comparison.mine.nodes if ast.unparse(n) == "joined(**d)")
    texts = map(comparison.mine.segment, comparison.mine.inner(comparison.mine.numbers[call]))
    assert "y * 3" in list(texts)


def test_the_right_program_is_right() -> None:
    comparison = recorded_runs.compared(MINE, RIGHT, "attend", *GIVEN)
    assert not left(comparison)
    assert math.isclose(GIVEN[0].shape[-1] ** -0.5, 1 / math.sqrt(5))


OPTIONS = """\
class Norm:
    def options(self):
        return {
            "gamma": self.weight,
            "eps": self.eps,
        }

    def forward(self, x):
        return F.norm(x, **self.options())
"""


@pytest.mark.parametrize(
    ("old", "new", "said", "line", "write"),
    [
        ("", "", "F.norm has no argument called eps", 5, '"epsilon": self.eps'),
        ('            "eps": self.eps,\n', "", "F.norm needs epsilon as well", 4, ""),
    ],
)
def test_an_option_that_a_dict_hands_over_is_told_at_its_entry(
    old: str, new: str, said: str, line: int, write: str
) -> None:
    text = OPTIONS.replace(old, new) if old else OPTIONS
    at = text.count("\n")
    takes = {"F.norm": SeenValue("function", signature=("x", "gamma", "epsilon"))}
    call = SeenCall(at, "forward", "F.norm(x, **self.options())", "", takes)
    found = misnamed(ast.parse(text), SeenError("TypeError", "", "", at, calls=(call,)), said)
    assert found is not None
    assert (found.line, found.write) == (line, write if "needs" in said else "")


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        ("self.a = self.b = norm()", 3),
        ("self.a = norm()\n        self.b = self.a", 4),
        ("one = norm()\n        self.a = one\n        self.b = one", 5),
        ("self.a, self.b = [norm()] * 2", 3),
        ("self.a, self.b = norm(), norm()", None),
        ("self.a = norm()\n        self.b = norm()", None),
    ],
)
def test_one_layer_under_two_names_is_told_where_it_gets_the_second(
    lines: str, line: int | None
) -> None:
    right = "class B:\n    def __init__(self):\n        {}\n"
    tree = ast.parse(right.format(lines))
    two = ast.parse(right.format("self.a = Norm()\n        self.b = Norm()"))
    assert [one.line for one in shared(tree, two)] == ([] if line is None else [line])


def test_a_helper_that_keeps_a_layer_does_not_call_it() -> None:
    text = (
        "def pipe(value, *stages):\n    for stage in stages:\n        value = stage\n"
        "    return value\n\ndef add(x, norm):\n    change = pipe(x, norm)\n    return x + change\n"
    )
    call = SeenCall(8, "add", "x + change", "", {"change": SeenValue("Norm", fields=("weight",))})
    error = SeenError("TypeError", "", "", 8, calls=(call,))
    found = uncalled(ast.parse(text), error, "change is a Norm, a layer that is not called")
    assert found == Slip(3, "Line 3 does not call stage: value is the layer itself.")


SPREAD = """\
def spread(x):
    left = x - x.mean(axis=-1, keepdims=True)
    return (left * left).mean(axis=-1, keepdims=True) + x.sum()
"""

COUNTED = """\
def spread(x):
    rest = x - x.mean(axis=-1, keepdims=True)
    count = rest.shape[-1]
    total = (rest * rest).sum(axis=-1, keepdims=True)
    return total / count + x.sum()
"""


def test_a_count_of_another_axis_is_wrong_where_it_is_read() -> None:
    wrong = COUNTED.replace("rest.shape[-1]", "rest.shape[0]")
    comparison = recorded_runs.compared(wrong, SPREAD, "spread", GIVEN[0])
    (first, *_) = left(comparison)
    cause = Causes(comparison).of(first)
    origin = Scalars(comparison).of(cause, len(comparison.mine.places))
    assert origin is not None
    assert origin.line == line_of(comparison, "rest.shape[0]")
    assert str(origin).endswith("which is 4 here. The reference takes 5, as rest.shape[-1] is.")


TABLES = """\
import numpy as np

def tables(rates, places):
    angles = places[:, None] * rates
    return np.cos(angles), np.sin(angles)
"""

CARRIER = """\
import numpy as np

def tables(rates, places):
    phase = 2 * np.pi * places[:, None] * rates
    wave = np.exp(1j * phase)
    return wave.real, wave.imag
"""


def test_a_multiple_before_complex_numbers_is_where_they_go_wrong() -> None:
    places = np.arange(1.0, 4.0)
    comparison = recorded_runs.compared(CARRIER, TABLES, "tables", GIVEN[0][0], places)
    mine = comparison.mine
    halves = [
        Departure(place.node, place.value, mine.made[place.value].sources, None)
        for place in mine.places
        if getattr(mine.nodes[place.node], "attr", "") in ("real", "imag")
    ]
    node = made_of(comparison, halves)
    assert node is not None
    assert mine.line(node) == line_of(comparison, "phase = ")
