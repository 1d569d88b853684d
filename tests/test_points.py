"""What reports are worth: the order of right, wrong, an error and nothing, over real programs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.base import course
from grader.base.blanks import make_stub
from grader.base.model import Kind, Report, Status, Step, Verdict
from grader.report import points
from grader.report.points import Points
from tests.graded import inside, variants

STEPS = course.steps()
SEED = 1


def graded(step: Step, text: str, tmp_path: Path) -> Report:
    path = tmp_path / step.stub.name
    path.write_text(text, encoding="utf-8")
    return inside.grade(step, path, seed=SEED)


def worth(report: Report) -> float:
    return Points().score(report)


@pytest.fixture(scope="module", autouse=True)
def _engine() -> None:
    from tests.graded import verdicts

    verdicts.start()


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.id)
def test_nothing_is_worth_nothing_and_an_error_little(step: Step, tmp_path: Path) -> None:
    """That wrong is worth more and right all of it is in ``test_variants``, with its reports."""
    solution = step.solution.read_text(encoding="utf-8")
    assert worth(graded(step, make_stub(solution), tmp_path)) == 0
    assert worth(graded(step, solution + "\nboom\n", tmp_path)) <= 34


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The report on the solution of step 05."""
    step = course.find("s05")
    return graded(step, step.solution.read_text("utf-8"), tmp_path_factory.mktemp("right"))


def test_all_right_is_worth_all(right: Report) -> None:
    assert right.verdict is Verdict.PASS
    assert worth(right) == 100


def test_right_numbers_that_strict_does_not_accept(right: Report) -> None:
    wanting = tuple(
        replace(check, status=Status.FAIL) if check.kind is Kind.SOURCE else check
        for check in right.checks
    )
    assert worth(replace(right, verdict=Verdict.FAIL, checks=wanting)) == points.DOES


def test_recipes(right: Report, tmp_path: Path) -> None:
    step = course.find("s05")
    wrong = graded(step, variants.find("s05/wrong/no_scale").source.decode(), tmp_path)
    recipes = {
        "[s05]\npass = 10\n": (10, 0, 10),
        '[s05]\n"*" = 0.5\n': (15.5, 14.5, 15.5),
        '[s05]\n"*" = 0\noutput = 60\nsoftmax = 40\n': (100, 40, 100),
    }
    for text, wanted in recipes.items():
        (tmp_path / "points.toml").write_text(text)
        given = points.read(tmp_path / "points.toml")
        assert (given.score(right), given.score(wrong), given.most(right)) == wanted
