"""What is told where it is made, and not where it is used: factors, pairs, options, returns."""

from __future__ import annotations

import ast
import math

import numpy as np
import pytest

from grader.grading.following.alike import too_early
from grader.grading.following.arguments import crosswise
from grader.grading.following.cause import Cause, Causes
from grader.grading.following.complexes import made_of
from grader.grading.following.constants import preset, set_otherwise
from grader.grading.following.factors import misscaled
from grader.grading.following.given import calls_given, next_given
from grader.grading.following.options import misnamed, odd_option
from grader.grading.following.retried import Retried
from grader.grading.following.scalars import Scalars
from grader.grading.following.trace import Comparison, Departure
from grader.grading.following.traded import traded
from grader.grading.following.uncalled import uncalled
from grader.grading.reading.bindings import callee
from grader.grading.reading.ends import falls_through
from grader.grading.reading.shared import shared
from grader.grading.reading.shown import Slip
from grader.grading.reading.swallowed import swallowed
from grader.protocol.probe import SeenCall, SeenError, SeenValue
from grader.source import reach
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


def test_a_factor_that_its_line_works_out_is_wrong_there() -> None:
    mine = MINE.replace("rate = q.shape[-1] ** -0.5", "rate = q.shape[-1]")
    mine = mine.replace("q * rate", "q * rate ** 0.5")
    comparison = recorded_runs.compared(mine, RIGHT, "attend", *GIVEN)
    line, _ = said(misscaled(comparison, left(comparison)))
    assert line == line_of(comparison, "q * rate ** 0.5")


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


PIPED = """\
import numpy as np

def pipe(*steps):
    def run(x):
        for step in steps:
            x = step(x)
        return x
    return run

def doubled(x):
    return x * 2

def attend(q, k):
    return pipe(
        doubled,
        np.exp,
        np.tanh,
    )(q @ k.T)
"""


def test_a_helper_that_calls_what_it_is_given_is_not_blamed() -> None:
    wrong = PIPED.replace("        np.exp,\n        np.tanh,", "        np.tanh,\n        np.exp,")
    comparison = recorded_runs.compared(wrong, PIPED, "attend", *GIVEN[:2])
    (first, *_) = left(comparison)
    assert calls_given(comparison.mine, first.node)
    line, told = said(next_given(comparison.mine, first))
    assert line == line_of(comparison, "np.tanh")
    assert told.endswith("np.tanh")


def test_an_argument_that_a_partial_presets_is_wrong_there() -> None:
    text = "import numpy as np\nfrom functools import partial\ntotal = partial(np.sum, axis=0)\n"
    text += "def attend(q, k):\n    return total(q @ k.T)\n"
    comparison = recorded_runs.compared(text, text, "attend", *GIVEN[:2])
    mine, new = comparison.mine, ast.parse("total(q @ k.T, axis=-1)", mode="eval").body
    call = next(one for one in mine.nodes if ast.unparse(one) == "total(q @ k.T)")
    slip = preset(mine, mine.numbers[call], new)
    assert slip is not None
    assert (slip.line, slip.write) == (3, "partial(np.sum, axis=-1)")


SET = """\
import numpy as np
AXIS = 0

def total(axis, extra):
    return lambda x: np.sum(x, axis=axis) + extra

over = total(0, 1)

def attend(q, k):
    return np.sum(q @ k.T, axis=AXIS) + over(q)[0]
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "write"),
    [
        ("np.sum(q @ k.T, axis=AXIS)", "np.sum(q @ k.T, axis=-1)", 2, "AXIS = -1"),
        ("np.sum(x, axis=axis)", "np.sum(x, axis=1)", 7, "total(1, 1)"),
    ],
)
def test_a_number_that_a_call_reads_is_wrong_where_it_is_set(
    old: str, new: str, line: int, write: str
) -> None:
    mine = recorded_runs.run(SET, "attend", *GIVEN[:2])
    call = next(one for one in mine.nodes if ast.unparse(one) == old)
    slip = preset(mine, mine.numbers[call], ast.parse(new, mode="eval").body)
    assert slip is not None
    assert (slip.line, slip.write) == (line, write)


def test_a_divisor_that_is_multiplied_by_is_wrong_where_that_is_done() -> None:
    named = MINE.replace("** -0.5", "** 0.5").replace("rate", "root_d")
    comparison = recorded_runs.compared(named, RIGHT, "attend", *GIVEN)
    line, _ = said(misscaled(comparison, left(comparison)))
    assert line == line_of(comparison, "q * root_d")


def test_a_helper_is_told_the_tensor_of_whose_size_a_number_is_made() -> None:
    mine = MINE.replace("rate = q.shape[-1] ** -0.5", "rate = root(v)")
    mine = mine.replace("(q * rate) @ k.T", "q @ k.T / rate")
    comparison = recorded_runs.compared(mine, RIGHT, "attend", *GIVEN)
    (first, *_) = left(comparison)
    cause = Causes(comparison).of(first)
    origin = Scalars(comparison).of(cause, len(comparison.mine.places))
    assert origin is not None
    assert origin.line == line_of(comparison, "rate = root(v)")
    assert "that of q is 5" in str(origin)


@pytest.mark.parametrize(
    ("right", "wrong", "code"),
    [
        (
            "v.sum(axis=0)[0::2], v.mean(axis=0)[1::2]",
            "v.mean(axis=0)[1::2], v.sum(axis=0)[0::2]",
            "w = ",
        ),
        ("c, s = w", "s, c = w", "s, c = w"),
    ],
)
def test_two_values_in_each_other_s_place_are_wrong_in_the_tuple(
    right: str, wrong: str, code: str
) -> None:
    comparison = compared(right, wrong)
    line, told = said(traded(comparison, left(comparison)))
    assert line == line_of(comparison, code), told


FIELDS = """\
class Parts:
    query: object
    key: object

    def __init__(self, *parts):
        vars(self).update(zip(self.__class__.__annotations__, parts))

def scores(query, key):
    return query @ key.T

def attend(x, y):
    parts = Parts(*(x, y))
    q = parts.query * 2
    k = parts.key * 2
    return scores(q, k)
"""

WHOLE = """\
def scores(query, key):
    return query @ key.T

def attend(x, y):
    query, key = x, y
    return scores(query * 2, key * 2)
"""


def test_two_fields_in_another_order_are_wrong_in_their_class() -> None:
    mine = FIELDS.replace(
        "    query: object\n    key: object", "    key: object\n    query: object"
    )
    given = GIVEN[:2]
    comparison = recorded_runs.compared(mine, WHOLE, "attend", *given, proven="scores")
    line, told = said(crosswise(comparison))
    assert line == line_of(comparison, "    key: object")
    assert "It is filled in the order query, key." in told


def test_a_value_that_is_replaced_too_early_is_wrong_there() -> None:
    mine = RIGHT.replace("new_even", "even")
    comparison = recorded_runs.compared(mine, RIGHT, "attend", *GIVEN)
    (first, *_) = left(comparison)
    line, told = said(too_early(comparison, Causes(comparison).of(first), first))
    assert line == line_of(comparison, "even = even * cos")
    assert "needs the old one" in told


RATES = """\
import numpy as np

def rates(width, length, base):
    slow = [1.0 / base ** (first / width) for first in range(0, width, 2)]
    return np.array(slow)
"""

POWERS = """\
import numpy as np

def rates(width, length, base):
    return base ** (-np.arange(0, width, 2) / width)
"""


def test_numbers_of_a_loop_are_tried_with_the_other_variables() -> None:
    mine = RATES.replace("first / width", "first / length")
    comparison = recorded_runs.compared(mine, POWERS, "rates", 8, 30, 100.0)
    found = Retried(comparison).found([len(comparison.mine.arrays) - 1])
    assert found is not None
    assert found.text == "first / width"


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


SWALLOWED = """\
def attend(query, key, attention_mask=None, **kwargs):
    return query @ key + attention_mask
"""


@pytest.mark.parametrize(
    ("call", "write"),
    [
        ("attend(q, k, mask=mask)", "attention_mask=mask"),
        ("attend(q, k, attention_masks=m)", "attention_mask=m"),
        ("attend(q, k, attention_mask=m)", None),
        ("attend(q, k, m, mask=m)", None),
        ("attend(q, k, dropout=0.1)", None),
        ("attend(q, k, mask=m, **more)", None),
    ],
)
def test_an_option_that_nothing_reads_is_told_by_the_name_of_the_one_left_out(
    call: str, write: str | None
) -> None:
    found = [one.write for one in swallowed(ast.parse(SWALLOWED + f"out = {call}\n"))]
    assert found == ([write] if write else [])


def test_options_that_are_read_are_not_swallowed() -> None:
    text = SWALLOWED.replace("+ attention_mask", "+ kwargs['mask']")
    assert not list(swallowed(ast.parse(text + "out = attend(q, k, mask=m)\n")))


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("if m:\n        y = x + m\n        return y\n        return x", 5),
        ("if m:\n        x = x + m\n        return x", 4),
        ("if m:\n        return x + m\n    return x", None),
        ("if m:\n        return x + m\n    else:\n        return x", None),
    ],
)
def test_a_return_that_is_only_in_the_if(body: str, line: int | None) -> None:
    function = ast.parse(f"def masked(x, m):\n    {body}\n").body[0]
    assert isinstance(function, ast.FunctionDef)
    found = falls_through(function)
    assert (found[0] if found else None) == line
    assert found is None or found[1].endswith("masked ends without a return")


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
        ("", "", "F.norm needs epsilon as well", 5, '"epsilon": self.eps'),
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


def test_two_options_of_one_value_are_told_in_the_dict() -> None:
    tree = ast.parse(OPTIONS.replace('"eps": self.eps', '"beta": self.weight'))
    call = next(n for n in ast.walk(tree) if isinstance(n, ast.Call) and n.keywords)
    assert odd_option(tree, call) == Slip(
        4, "Line 4 makes gamma self.weight, and line 5 makes beta the same. Line 9 hands over both."
    )
    assert reach.written(tree, r"\bbeta'?[:=]") == 5


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


SORTED = """\
import numpy as np

def attend(query, key, value):
    return np.sum((query @ key.T) @ value, axis=1, keepdims=True) * 2
"""

KEPT = """\
import numpy as np

class Options:
    KEEP: bool = False
    axis = 1

    def total(self, x):
        return np.sum(x, axis=self.axis, keepdims=self.KEEP)

def attend(query, key, value):
    return Options().total((query @ key.T) @ value) * 2
"""


def kept(*edits: tuple[str, str]) -> Slip | None:
    text = KEPT
    for old, new in edits:
        text = text.replace(old, new)
    comparison = recorded_runs.compared(text, SORTED, "attend", *GIVEN)
    sums = [number for number, one in enumerate(comparison.mine.nodes) if callee(one) == "sum"]
    twins = [number for number, one in enumerate(comparison.right.nodes) if callee(one) == "sum"]
    return set_otherwise(comparison, Cause(sums[0], twin=twins[0]))


def test_a_constant_of_a_class_is_wrong_where_it_is_set() -> None:
    slip = kept()
    assert slip is not None
    assert (slip.line, slip.write) == (4, "KEEP: bool = True")
    assert "which line 8 reads: the reference has True there" in slip.said


@pytest.mark.parametrize(
    "edits",
    [
        [("KEEP: bool = False", "KEEP: bool = True")],
        [("axis = 1", "axis = 0")],  # two differ: which is the mistake is not known
        [("* 2", "* 2 if Options.KEEP is False else None")],  # another line reads it
    ],
)
def test_a_constant_that_may_be_right_is_not_told(edits: list[tuple[str, str]]) -> None:
    assert kept(*edits) is None


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
