"""The small change that makes a value right, slips beside their like, arrays changed in place."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from grader.base.rewriting import Rewriter
from grader.explain.trace.arguments import namesake
from grader.explain.trace.cause import Causes
from grader.explain.trace.differs import kinds_in
from grader.explain.trace.evaluate import Evaluator
from grader.explain.trace.retried import Change, Retried
from grader.explain.trace.alignment import Comparison
from tests import recorded_runs
from tests.marks import any_numbers
from tests.test_trace_parts import GIVEN, MASK, RIGHT

pytestmark = any_numbers


def compared(*edits: tuple[str, str], right: str = RIGHT) -> Comparison:
    mine = right
    for old, new in edits:
        assert mine.count(old) == 1, old
        mine = mine.replace(old, new)
    return recorded_runs.compared(mine, right, "attend", *GIVEN, MASK)


def change(comparison: Comparison) -> Change | None:
    return Retried(comparison).found([len(comparison.mine.arrays) - 1])


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("exp.sum(axis=-1, keepdims=True)", "exp.sum(axis=0, keepdims=True)"),
        ("scaled + mask", "scaled - mask"),
        (
            "scores - scores.max(axis=-1, keepdims=True)",
            "scores.max(axis=-1, keepdims=True) - scores",
        ),
    ],
)
def test_the_change_is_the_reference(right: str, wrong: str) -> None:
    comparison = compared((right, wrong))
    found = change(comparison)
    assert found is not None
    assert ast.unparse(found.new) == right
    assert (
        comparison.mine.line(found.node)
        == comparison.mine.source.count("\n", 0, comparison.mine.source.index(wrong)) + 1
    )


SHOWN = """\
import numpy as np

def attend(query, mask):
    place = np.arange(len(query))
    ahead = np.greater(place[None, :], place[:, None])
    return query @ query.T + np.where(ahead, -1e9, 0.0)
"""


def test_a_function_that_compares_asks_something_else_as_an_operator_does() -> None:
    mine = SHOWN.replace("np.greater(", "np.greater_equal(")
    query = np.random.default_rng(0).normal(size=(4, 3))
    found = change(recorded_runs.compared(mine, SHOWN, "attend", query, query))
    assert found is not None
    assert ast.unparse(found.new) == "np.greater(place[None, :], place[:, None])"


PLAIN = RIGHT.replace("scores - scores.max(axis=-1, keepdims=True)", "scores - 1")


@pytest.mark.parametrize(("top", "low"), [("top", "low"), ("highest", "shifted")])
def test_a_difference_turned_round_is_turned_back_though_a_softmax_needs_no_maximum(
    top: str, low: str
) -> None:
    made = f"{top} = scores.max(axis=-1, keepdims=True)\n    {low} = {top} - scores"
    mine = PLAIN.replace("low = scores - 1", made).replace("np.exp(low)", f"np.exp({low})")
    found = change(recorded_runs.compared(mine, PLAIN, "attend", *GIVEN, MASK))
    assert found is not None
    assert ast.unparse(found.new) == f"scores - {top}"


@pytest.mark.parametrize(
    ("factor", "said"),
    [("1 / math.sqrt(99)", ""), ("math.sqrt(6)", "It multiplies; the reference divides.")],
)
def test_to_multiply_is_wrong_only_by_the_number_that_the_reference_divides_by(
    factor: str, said: str
) -> None:
    comparison = compared(("scores / math.sqrt(query.shape[-1])", f"scores * ({factor})"))
    (departure,) = comparison.departures(len(comparison.mine.arrays) - 1)
    cause = Causes(comparison).of(departure)
    assert cause.twin is not None
    assert kinds_in(comparison, cause.node, cause.twin) == said


NAMESAKE = RIGHT.replace("weights(", "softened(").replace(
    "scores.max(axis=-1", "scores.mean(axis=0"
)


@pytest.mark.parametrize(("given", "lines"), [("masked", []), ("scaled", []), ("mask", [13])])
def test_a_helper_is_given_something_else_only_if_that_was_not_made_of_its_namesake(
    given: str, lines: list[int]
) -> None:
    mine = NAMESAKE.replace("softened(masked)", f"softened({given})")
    comparison = recorded_runs.compared(mine, RIGHT, "attend", *GIVEN, MASK)
    first = comparison.departures(len(comparison.mine.arrays) - 1)[:1]
    slip = namesake(comparison, first)
    assert ([slip.line] if slip else []) == lines


def test_what_is_done_twice_is_to_be_left_out_and_not_to_become_what_a_softmax_hides() -> None:
    found = change(compared(("scaled + mask", "scaled / math.sqrt(6) + mask")))
    assert found is not None
    assert ast.unparse(found.new) == "scaled"


def test_a_change_that_explains_half_of_what_is_wrong_is_none() -> None:
    both = ("scaled + mask", "scaled - mask"), ("np.exp(low)", "np.exp(low + low)")
    comparison = compared(*both)
    found = change(comparison)
    assert found is None or "mask" in ast.unparse(found.new)


def test_nothing_is_changed_in_a_right_program() -> None:
    assert change(compared(("low = s", "low  = s"))) is None


FILLED = RIGHT.replace(
    "    masked = scaled + mask\n", "    masked = scaled.copy()\n    masked[mask < 0] = -5.0\n"
)


def test_an_array_that_is_changed_in_place_was_right_before() -> None:
    comparison = compared(("= -5.0", "= -1.0"), right=FILLED)
    (departure,) = comparison.departures(len(comparison.mine.arrays) - 1)
    line = comparison.mine.source.splitlines()[comparison.mine.line(departure.node) - 1]
    assert line.strip() == "masked[mask < 0] = -1.0"


def test_the_sum_in_place_comes_from_both() -> None:
    added = RIGHT.replace("masked = scaled + mask", "masked = scaled\n    masked = masked + mask")
    comparison = compared(("masked = masked + mask", "masked += mask.T"), right=added)
    (departure,) = comparison.departures(len(comparison.mine.arrays) - 1)
    assert "mask.T" in comparison.mine.segment(departure.node)


def test_numbers_are_compared_with_as_many_as_tell_them_apart() -> None:
    comparison = compared(("return weights(masked) @ value", "return np.ones((4, 6))"))
    assert change(comparison) is None


LONG = """\
def attend(row, column):
    near = row[:3] > column[:3]
    return near, row, column
"""


@pytest.mark.parametrize(
    "text",
    [
        "row > column",
        "row * column",
        "np.outer(row, column)",
        "column @ row",
        "np.where(row > 0, row, column)",
        "F.max(row, column)",
        "np.tile(row, 1000)",
        "row[0][column.squeeze()]",
        "np.matmul(column, row)",
    ],
)
def test_nothing_is_worked_out_that_would_be_enormous(text: str) -> None:
    many = 100_000
    mine = recorded_runs.run(LONG, "attend", np.ones((1, many)), np.ones((many, 1)))
    last = {place.node: [place.value] for place in mine.places}
    named = {ast.unparse(mine.nodes[node]): mine.nodes[node] for node in last}
    known = Evaluator(mine, len(mine.places), last)
    expression = ast.parse(text, mode="eval").body
    new = Named({name: named[name] for name in ("row", "column")}).visit(expression)
    assert known.value(new) is None


class Named(Rewriter):
    """Puts the variables of a run into an expression."""

    def __init__(self, known: dict[str, ast.AST]) -> None:
        self._known = known

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._known.get(node.id, node)
