"""What a run recorded: the values of its expressions, and that they are of this program."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np
import pytest

from grader import sandbox
from grader.explain.trace.run import Run
from grader.explain.trace.unannotated import unannotated
from grader.protocol.probe import TensorArg
from tests.explain import recorded
from tests.worker_jobs import call, error, floats, job


def test_a_trail_of_another_program_is_none_of_this() -> None:
    run = recorded.run("def twice(x):\n    return x + x\n", "twice", np.ones(3))
    assert run.fits
    assert not Run("x = 1\n", run.trail).fits


def test_an_assignment_with_an_annotation_keeps_its_number() -> None:
    text = "def f(x):\n    y: int = x + 1\n    z: int | None = None\n    return y\n"
    tree = ast.parse(text)
    before = [type(one) for one in ast.walk(ast.parse(text))]
    after = [type(one) for one in unannotated(tree)]
    assert [one for one, other in zip(before, after, strict=True) if one is not other] == [
        ast.AnnAssign
    ]
    assert "y = x + 1" in ast.unparse(tree)


RAISING = """\
from max.experimental import functional as F

def doubled(x):
    print("ran")
    twice = x + x
    raise ValueError(f"{twice.shape}")

def doubled_and_joined(x):
    print("ran")
    twice = x + x
    return F.concat([twice, x[:1]], axis=1)
"""


@pytest.mark.parametrize(
    ("name", "line", "unknown"), [("doubled", 6, 2), ("doubled_and_joined", 11, 1)]
)
def test_values_before_a_known_error_need_no_second_run(name: str, line: int, unknown: int) -> None:
    """Computed as one graph first; operation by operation only if the error may be of that."""
    x = floats(1, 2, 3)
    asked = job(RAISING, call(name, TensorArg(x)))
    trails = []
    for known, times in (((), unknown), ((("ValueError", line),), 1)):
        with sandbox.start(engine="numpy") as running:
            outcome = running.finish(replace(asked, follow=True, raised=known))
        assert error(outcome, name).line == line
        assert outcome.output.count("ran") == times
        trail = outcome.observations[name].trail
        assert trail is not None
        trails.append([one.array for one in trail.values if one is not None])
    first, again = trails
    assert any(np.array_equal(one, 2 * x) for one in first)
    assert all(map(np.array_equal, first, again))
    assert len(first) == len(again)
