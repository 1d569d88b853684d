"""Wrong numbers that show elsewhere: the rows of a mask, what complex numbers are made of."""

from __future__ import annotations

import numpy as np
import pytest

from grader.explain.trace.complexes import made_of
from grader.explain.trace.retried import Retried
from grader.explain.trace.shifted import shifted
from grader.explain.trace.alignment import Comparison
from grader.grading.reading.shown import Slip
from tests import recorded_runs

BAND = """\
import numpy as np

def mask(new, past):
    full = np.full((new, past + new), -np.inf)
    return np.triu(full, past + 1)
"""

GRID = """\
import numpy as np

def mask(new, past):
    total = past + new
    rows = np.arange(0, new)
    index = rows.reshape([-1, 1])
    columns = np.arange(total)
    future = columns > index
    return np.where(future, -np.inf, np.zeros([new, total]))
"""


def slip_in(mine: str, past: int = 3) -> Slip | None:
    comparison = recorded_runs.compared(mine, BAND, "mask", 4, past)
    ends = [run.places[-1].value for run in (comparison.mine, comparison.right)]
    return shifted(comparison, *ends)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("arange(0, new)", "arange(past, total)"),  # right
        ("arange(0, new)", "arange(past - 1, total - 1)"),  # the comparison may be wrong as well
        ("columns > index", "columns < index"),
    ],
)
def test_of_another_mistake_in_a_mask_no_row_is_accused(old: str, new: str) -> None:
    assert slip_in(GRID.replace(old, new)) is None


TURNED = """\
import numpy as np

def turn(x, theta):
    speeds = theta ** (-np.arange(0, 8, 2) / 8)
    angles = np.outer(np.arange(len(x)), speeds)
    cos, sin = np.cos(angles), np.sin(angles)
    return x[:, 0::2] * cos + x[:, 1::2] * sin
"""

PHASES = """\
import numpy as np

def speeds(theta):
    return np.geomspace(1.0, 1.0 / theta, 4, endpoint=False)

def phases(omega, many):
    n = np.arange(many)
    return np.exp(1j * n[:, None] * omega[None, :])

def turn(x, theta):
    carrier = phases(speeds(theta), len(x))
    cos, sin = carrier.real, carrier.imag
    return x[:, 0::2] * cos + x[:, 1::2] * sin
"""


def departed(*edits: tuple[str, str]) -> tuple[Comparison, int | None]:
    mine = PHASES
    for old, new in edits:
        assert old in mine
        mine = mine.replace(old, new)
    given = np.random.default_rng(3).normal(size=(5, 8))
    comparison = recorded_runs.compared(mine, TURNED, "turn", given, 100.0)
    found = comparison.departures(comparison.mine.places[-1].value)
    return comparison, made_of(comparison, found) if found else None


@pytest.mark.parametrize(
    "edits",
    [
        [],
        [("return np.exp(1j * n[:, None] * omega[None, :])",
          "z = -1j * n[:, None] * omega[None, :]\n    return np.exp(z)")],  # of two lines, which?
    ],
)  # fmt: skip
def test_complex_numbers_that_may_be_right_are_not_accused(edits: list[tuple[str, str]]) -> None:
    assert departed(*edits)[1] is None


OWN_WAY = """\
import numpy as np

def turn(x, theta):
    frames = np.arange(len(x))
    speeds = theta ** (-np.arange(0, 8, 2) / 8)
    cos, sin = (fn(frames[:, None] * speeds) for fn in (np.cos, np.sin))
    pairs = x.reshape(len(x), 4, 2)
    other = -pairs[:, :, 1]
    return pairs[:, :, 0] * cos - other * sin
"""


def test_another_sign_and_another_shape_hide_no_wrong_number() -> None:
    x = np.random.default_rng(1).normal(size=(6, 8))
    wrong = OWN_WAY.replace("arange(len(x))", "linspace(0, len(x), len(x))")
    comparison = recorded_runs.compared(wrong, TURNED, "turn", x, 10.0)
    result = comparison.mine.places[-1].value
    found = comparison.departures(result)
    lines = {comparison.mine.line(one.node) for one in found}
    left = {comparison.mine.line(one.node) for one in comparison.but_rewritten(found)}
    assert (lines, left) == ({8, 9}, {9})
    change = Retried(comparison).found([result])
    assert change is not None
    assert change.text == "np.linspace(0, len(x), len(x), endpoint=False)"
