"""What runs is told where it is given: a list of functions, a default, a partial, a counter."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from grader.grading.following.decided import decided
from grader.grading.following.feeding import unbatched
from grader.grading.following.run import Run
from grader.grading.following.runs import backwards, what_runs
from grader.grading.following.trace import Comparison
from grader.grading.following.unannotated import unannotated
from grader.protocol.probe import SeenCall, SeenError
from grader.source import origins
from tests import recorded_runs

RIGHT = """\
import numpy as np

def mask(x):
    return np.expand_dims(np.tanh(x), 1)
"""

CHAIN = """\
import numpy as np
from functools import partial, reduce

def chain(*steps):
    return lambda x: reduce(lambda given, step: step(given), steps, x)

def mask(x):
    bend = np.tanh
    widen = partial(np.expand_dims, axis=-1)
    return chain(bend, widen)(x)
"""

DEFAULT = """\
import numpy as np

class Net:
    def __init__(self, bend=np.sinh):
        self.bend = bend

    def run(self, x):
        return np.expand_dims(self.bend(x), 1)

def mask(x):
    return Net().run(x)
"""


@pytest.mark.parametrize(
    ("mine", "line"),
    [(DEFAULT, 4), (CHAIN.replace("axis=-1", "axis=1"), 0)],
)
def test_what_a_helper_runs_is_told_where_it_is_given(mine: str, line: int) -> None:
    given = np.random.default_rng(1).normal(size=(3, 4))
    comparison = recorded_runs.compared(mine, RIGHT, "mask", given)
    found = comparison.departures(comparison.mine.places[-1].value)
    slips = [what_runs(comparison, one) for one in found]
    assert [one.line for one in slips if one is not None] == ([line] if line else [])


def test_a_list_of_functions_that_is_gone_through_backwards_is_told() -> None:
    turned = CHAIN.replace(", steps, x)", ", reversed(steps), x)").replace("axis=-1", "axis=1")
    given = np.random.default_rng(1).normal(size=(3, 4))
    error = SeenError("ValueError", "no", "call", 5, calls=(SeenCall(5, "<lambda>"),))
    slip = backwards(recorded_runs.compared(turned, RIGHT, "mask", given), error)
    assert slip is not None
    assert (slip.line, slip.write.endswith(", steps, x)")) == (5, True)


LOOPS = """\
import numpy as np

def mask(new, past):
    rows = []
    for i in range(new):
        row = []
        for j in range(past + new):
            if j <= past * i:
                row.append(0.0)
            else:
                row.append(-np.inf)
        rows.append(row)
    return np.array(rows)
"""

BAND = """\
import numpy as np

def mask(new, past):
    return np.triu(np.full((new, past + new), -np.inf), past + 1)
"""


def test_a_mask_that_loops_fill_is_told_by_the_question_that_decides() -> None:
    for past, write in ((3, "j <= past + i"), (0, "")):  # beside a 0 any operator may be right
        comparison = recorded_runs.compared(LOOPS, BAND, "mask", 4, past)
        slip = decided(comparison, *(r.places[-1].value for r in _runs(comparison)))
        assert slip is not None
        assert (slip.line, slip.write) == (8, write)


def _runs(comparison: Comparison) -> tuple[Run, Run]:
    return comparison.mine, comparison.right


def test_an_assignment_with_an_annotation_keeps_its_number() -> None:
    text = "def f(x):\n    y: int = x + 1\n    z: int | None = None\n    return y\n"
    tree = ast.parse(text)
    before = [type(one) for one in ast.walk(ast.parse(text))]
    after = [type(one) for one in unannotated(tree)]
    assert [one for one, other in zip(before, after, strict=True) if one is not other] == [
        ast.AnnAssign
    ]
    assert "y = x + 1" in ast.unparse(tree)


def test_of_an_attribute_that_is_read_twice_either_read_can_be_a_place() -> None:
    tree = ast.parse(
        "def f(self, x):\n    x = self.norm(x)\n    return self.norm(x) + self.lin(x)\n"
    )
    assert [origins.place(tree, f"read: norm {n}") for n in (1, 2)] == [2, 3]
    assert origins.place(tree, "read: lin 1") is None


BATCH = """\
import numpy as np

class Model:
    def decode(self, ids):
        return ids.sum(axis=-1)

def write(tokens):
    ids = np.array([list(tokens)])
    return Model().decode(ids)
"""


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("np.array(list(tokens))", (8, "np.array([list(tokens)])")),
        ("np.array([[tokens]])", (8, "")),
        ("np.array((tokens,))", None),
    ],
)
def test_ids_of_another_shape_than_the_reference_gives_are_told_where_they_are_made(
    given: str, told: tuple[int, str] | None
) -> None:
    mine = BATCH.replace("np.array([list(tokens)])", given)
    slip = unbatched(recorded_runs.compared(mine, BATCH, "write", [5, 3, 1]))
    assert (slip and (slip.line, slip.write)) == told
