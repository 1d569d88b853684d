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
def test_right_is_more_than_wrong_than_an_error_than_nothing(step: Step, tmp_path: Path) -> None:
    solution = step.solution.read_text(encoding="utf-8")
    assert worth(graded(step, make_stub(solution), tmp_path)) == 0
    reports = [graded(step, solution, tmp_path), graded(step, solution + "\nboom\n", tmp_path)]
    for right in (True, False):
        some = [one for one in variants.of(step.id, right=right) if not one.fresh]
        for one in variants.sample(some, 4):
            with variants.as_file(one) as path:
                reports.append(inside.grade(step, path, seed=SEED))
    for report in reports:
        stopped = report.problem is not None or any(check.stopped for check in report.checks)
        if report.verdict is Verdict.PASS:
            assert worth(report) == 100
        elif stopped or report.verdict is Verdict.TIMEOUT:
            assert 0 <= worth(report) <= 34
        else:
            assert 35 <= worth(report) <= 65, report
    assert worth(reports[0]) == 100
    assert worth(reports[1]) <= 34


def test_right_numbers_that_strict_does_not_accept(tmp_path: Path) -> None:
    step = course.find("s05")
    report = graded(step, step.solution.read_text(encoding="utf-8"), tmp_path)
    wanting = tuple(
        replace(check, status=Status.FAIL) if check.kind is Kind.SOURCE else check
        for check in report.checks
    )
    assert worth(replace(report, verdict=Verdict.FAIL, checks=wanting)) == points.DOES


def test_recipes(tmp_path: Path) -> None:
    step = course.find("s05")
    right = graded(step, step.solution.read_text(encoding="utf-8"), tmp_path)
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
