"""Loops that leave gaps or fill too little, and what calls hand to helpers of the file."""

from __future__ import annotations

import numpy as np
import pytest

from grader.grading.following.given_numbers import numbers
from grader.grading.following.loops import gaps, without_turn
from grader.grading.following.ranges import misfilled
from grader.protocol.probe import SeenCall, SeenError
from grader.source import SourceProblem, parse
from tests import recorded_runs
from tests.test_trace_parts import cause_of, line_of

HEADS = """\
import numpy as np

def attend(x, width):
    parts = []
    for head in range(3):
        first = head * width
        last = first + width
        parts.append(x[..., first:last] * 2.0)
    return np.concatenate(parts, axis=-1)
"""

HELPERS = """\
import numpy as np

def compare(one, other):
    return one @ other.T

def root(size):
    return size ** 0.5

def attend(query, key):
    scores = compare(query, key)
    return scores / root(2.0)
"""

X = np.random.default_rng(2).normal(size=(4, 6))


def edited(text: str, *edit: str) -> str:
    for old, new in zip(edit[::2], edit[1::2], strict=True):
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        ((), None),
        (("first + width", "width"), 7),
        (("head * width", "head + width"), 6),
    ],
)
def test_slices_of_heads_lie_side_by_side(edit: tuple[str, ...], line: int | None) -> None:
    mine = edited(HEADS, *edit)
    found = gaps(recorded_runs.compared(mine, HEADS, "attend", X, 2).mine)
    assert (found.line if found else None) == line


def test_slices_that_overlap_on_purpose_are_none_of_heads() -> None:
    mine = edited(HEADS, "head * width", "head")
    found = gaps(recorded_runs.compared(mine, HEADS, "attend", X[:, :4], 2).mine)
    assert found is None


def test_a_list_stays_empty_where_a_loop_takes_no_turn() -> None:
    mine = edited(
        HEADS, "range(3)", "range(width - 2)", "return np.concatenate(parts, axis=-1)", "return x"
    )
    run = recorded_runs.compared(mine, HEADS, "attend", X, 2).mine
    call = SeenCall(9, "attend", "np.concatenate(parts, axis=-1)")
    error = SeenError(
        "ValueError", "need at least one array to concatenate", "out", 9, calls=(call,)
    )
    found = without_turn(run, error)
    assert found is not None
    assert found.line == 5
    assert "parts stays empty" in found.said


def test_a_helper_that_gets_two_values_crosswise_is_called_wrong() -> None:
    mine = edited(HELPERS, "compare(query, key)", "compare(key, query)")
    comparison = recorded_runs.compared(mine, HELPERS, "attend", X, X[::-1] + 1.0)
    assert comparison.mine.line(cause_of(comparison).node) == line_of(comparison, "compare(key")


def test_a_number_that_a_call_hands_over_is_compared_with_the_references() -> None:
    mine = edited(HELPERS, "root(2.0)", "root(3.0)")
    comparison = recorded_runs.compared(mine, HELPERS, "attend", X, X + 1.0)
    found = numbers(comparison.mine, comparison.right)
    assert found is not None
    assert found.line == line_of(comparison, "root(3.0)")
    assert "3 for size" in found.said
    right = recorded_runs.compared(HELPERS, HELPERS, "attend", X, X + 1.0)
    assert numbers(right.mine, right.right) is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("class A:\n    x = 1\ny = 2\n    z = 3\n", 3),
        ("class A:\n    x = 1\n\ny = 2\n    z = 3\n", 5),
        ("x = 1\n    y = 2\n", 2),
    ],
)
def test_a_line_that_ends_a_block_too_early_is_the_one_to_indent(text: str, line: int) -> None:
    with pytest.raises(SourceProblem) as problem:
        parse(text.encode(), "file.py")
    assert problem.value.line == line


ROWS = """\
import numpy as np

def table(x):
    rows = []
    for i in range(len(x)):
        row = []
        for j in range(len(x) + 2):
            if j <= i:
                row.append(0.0)
            else:
                row.append(1.0)
        rows.append(row)
    return np.array(rows)
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "said", "write"),
    [
        ("range(len(x) + 2)", "range(len(x) + 2 - 1)", 7, "one turn too few", "range(len(x) + 2)"),
        ("range(len(x) + 2)", "range(len(x))", 7, "too few turns", ""),
        ("i in range(len(x))", "i in range(1, len(x))", 5, "one turn too few", "range(len(x))"),
        ("i in range(len(x))", "i in range(len(x) + 1)", 5, "one turn too many", "range(len(x))"),
    ],
)
def test_a_loop_that_fills_rows_takes_too_few_turns_or_too_many(
    old: str, new: str, line: int, said: str, write: str
) -> None:
    assert ROWS.count(old) == 1
    both = recorded_runs.compared(ROWS.replace(old, new), ROWS, "table", np.zeros(4))
    result, wanted = (max(run.made) for run in (both.mine, both.right))
    slip = misfilled(both, result, wanted)
    assert slip is not None
    assert (slip.line, slip.write) == (line, write)
    assert said in slip.said


TURNS = """\
import numpy as np

def joined(x, y):
    parts = {"one": x + y, "two": x * y}
    return np.stack([part[:, None] for part in parts.values()])
"""


def test_every_turn_of_a_comprehension_flows_into_what_is_made_of_it() -> None:
    given = np.arange(6.0).reshape(3, 2), np.arange(6.0, 12.0).reshape(3, 2)
    both = recorded_runs.compared(TURNS.replace("x + y", "x - y"), TURNS, "joined", *given)
    (left,) = both.departures(max(both.mine.made))
    assert both.mine.line(left.node) == 4
