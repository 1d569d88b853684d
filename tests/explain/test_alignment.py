"""Two recorded runs side by side: which values are the same, and where the path is left."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.explain.trace.alignment import Comparison
from grader.explain.trace.closeness import same
from grader.explain.trace.relations import MOST_WORK, TooMuch, Values, gelu_by_hand
from tests.explain import recorded
from tests.marks import any_numbers

pytestmark = any_numbers

RIGHT = """\
import math
import numpy as np

def weights(scores):
    low = scores - scores.max(axis=-1, keepdims=True)
    exp = np.exp(low)
    return exp / exp.sum(axis=-1, keepdims=True)

def attend(query, key, value, mask):
    scores = query @ key.T
    scaled = scores / math.sqrt(query.shape[-1])
    masked = scaled + mask
    return weights(masked) @ value
"""

GIVEN = list(np.random.default_rng(5).normal(size=(3, 4, 6)))
MASK = np.triu(np.full((4, 4), -5.0), 1)


def compared(*edits: tuple[str, str], right: str = RIGHT, proven: str = "") -> Comparison:
    mine = recorded.edited(right, *edits)
    return recorded.compared(mine, right, "attend", *GIVEN, MASK, proven=proven)


def left(comparison: Comparison) -> list[str]:
    """The expressions at which a program leaves the path."""
    found = comparison.departures(comparison.mine.places[-1].value)
    return [comparison.mine.segment(one.node) for one in found]


# ---- relations -----------------------------------------------------------------------------

WHOLE = np.random.default_rng(1).normal(size=(2, 3, 4, 5))
NAN = np.array([math.nan, 1.0])


@pytest.mark.parametrize(("right", "alike"), [(NAN, True), (NAN[::-1], False), (NAN * 2, False)])
def test_nan_is_the_same_as_nan(right: np.ndarray, alike: bool) -> None:
    assert same(NAN, right) is alike


@pytest.mark.parametrize(
    ("mine", "kind"),
    [
        (WHOLE, "equal"),
        (WHOLE.reshape(6, 4, 5), "equal"),  # batch and heads as one axis
        (np.repeat(WHOLE, 2, axis=-1), "equal"),  # each number twice
        (WHOLE.transpose(0, 2, 1, 3), "transposed"),
        (WHOLE.reshape(2, 3, 20), "reshaped"),
        (WHOLE * 8, "scaled"),
        (-WHOLE, "scaled"),
        (WHOLE[:, 1:2], "part"),
        (WHOLE[1, 2], "part"),
        (2 * WHOLE[1, 2], None),
        (WHOLE + 1e-2, None),
    ],
)
def test_what_a_value_is_to_the_references(mine: np.ndarray, kind: str | None) -> None:
    found = Values([WHOLE]).relation(mine)
    assert (None if found is None else found.kind) == kind


@given(st.integers(0, 2**32), st.floats(1e-3, 1e3), st.permutations(range(3)))
def test_a_multiple_and_an_order_of_axes_are_found_again(
    seed: int, factor: float, axes: list[int]
) -> None:
    whole = np.random.default_rng(seed).normal(size=(2, 3, 4))
    values = Values([whole])
    scaled, turned = values.relation(whole * factor), values.relation(whole.transpose(axes))
    assert scaled is not None
    assert scaled.kind == "equal" or math.isclose(scaled.factor, factor, rel_tol=1e-3)
    assert turned is not None
    assert turned.kind == "equal" or turned.axes == tuple(axes)


@given(st.lists(st.floats(width=32, allow_nan=False), min_size=1, max_size=6))
def test_any_numbers_are_themselves(numbers: list[float]) -> None:
    array = np.array(numbers, np.float64)
    assert same(array, array)
    assert Values([array]).equal(array) == 0


def test_there_is_an_end_to_what_is_compared() -> None:
    huge = np.broadcast_to(np.zeros(1), MOST_WORK)
    with pytest.raises(TooMuch):
        Values([None]).equal(huge)


def test_a_gelu_written_by_hand_is_known_on_the_way() -> None:
    x = np.linspace(-2.0, 2.0, 7)
    known = gelu_by_hand(x)
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    for right in (0.044715 * x * x * x, inner, np.tanh(inner), 0.5 * x):
        assert any(same(right, one) for one in known)
    for wrong in (x + 0.044715 * x**2, x * (1 + np.tanh(inner))):
        assert not any(same(wrong, one) for one in known)


# ---- departures ----------------------------------------------------------------------------

OWN_WAY = """\
import numpy as np

def attend(q, k, v, m):
    s = (q * q.shape[-1] ** -0.5) @ k.swapaxes(0, 1)
    e = np.exp(m + s)
    return (e @ v) / e.sum(-1)[:, None]
"""


@pytest.mark.parametrize("mine", [RIGHT, RIGHT.replace("low", "diff"), OWN_WAY])
def test_a_right_program_leaves_the_path_nowhere_for_good(mine: str) -> None:
    comparison = recorded.compared(mine, RIGHT, "attend", *GIVEN, MASK)
    assert left(comparison) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("scaled + mask", "scaled - mask"),
        ("exp.sum(axis=-1, keepdims=True)", "exp.sum(axis=0, keepdims=True)"),
        ("weights(masked) @ value", "weights(masked) @ key"),
    ],
)
def test_the_path_is_left_at_the_expression_that_is_wrong(right: str, wrong: str) -> None:
    assert left(compared((right, wrong))) == [wrong]


def test_two_mistakes_are_two_departures() -> None:
    two = compared(("query @ key.T", "query @ key.T * 2"), ("@ value", "@ (value + 1)"))
    assert left(two) == ["query @ key.T * 2", "value + 1"]


@pytest.mark.parametrize(
    ("first", "then", "lines"), [("-", "-", []), ("-", "", [2]), ("+", "-", [3])]
)
def test_a_sign_that_is_turned_again_is_right(first: str, then: str, lines: list[int]) -> None:
    right = "def attend(q, k, scale):\n    return scale * (q @ k.T) + q.sum()\n"
    mine = (
        f"def attend(q, k, scale):\n    e = {first}(q @ k.T)\n"
        f"    e = {then}scale * e\n    return e + q.sum()\n"
    )
    comparison = recorded.compared(mine, right, "attend", *GIVEN[:2], 0.5)
    found = comparison.departures(comparison.mine.places[-1].value)
    assert [comparison.mine.line(one.node) for one in found] == lines


FILLED = recorded.edited(
    RIGHT, ("masked = scaled + mask", "masked = scaled.copy()\n    masked[mask < 0] = -5.0")
)
ADDED = recorded.edited(RIGHT, ("masked = scaled + mask", "masked = scaled\n    masked += mask"))


@pytest.mark.parametrize(
    ("right", "old", "new"),
    [(FILLED, "= -5.0", "= -1.0"), (ADDED, "masked += mask", "masked += mask.T")],
)
def test_an_array_that_is_changed_in_place_was_right_before(right: str, old: str, new: str) -> None:
    comparison = compared((old, new), right=right)
    (one,) = comparison.departures(comparison.mine.places[-1].value)
    assert new in comparison.mine.source.splitlines()[comparison.mine.line(one.node) - 1]


def test_every_turn_of_a_comprehension_flows_into_what_is_made_of_it() -> None:
    turns = (
        "import numpy as np\n\ndef attend(x, y):\n    parts = {'one': x + y, 'two': x * y}\n"
        "    return np.stack([part[:, None] for part in parts.values()])\n"
    )
    both = recorded.compared(turns.replace("x + y", "x - y"), turns, "attend", *GIVEN[:2])
    assert left(both) == ["x - y"]


def test_a_program_with_patterns_is_followed() -> None:
    mine = recorded.edited(
        RIGHT,
        (
            "scores = query @ key.T",
            'match query.dtype.kind:\n        case np.newaxis | "i":\n            scores = query\n'
            '        case str() as kind if kind == "f":\n            scores = query @ key.T',
        ),
    )
    comparison = recorded.compared(mine, RIGHT, "attend", *GIVEN, MASK)
    assert comparison.known(comparison.mine.places[-1].value)
