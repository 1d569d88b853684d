"""What reports are worth: the order of right, wrong, an error and nothing, over real programs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from grader.base import course
from grader.base.blanks import make_stub
from grader.base.model import Kind, Report, Status, Step, Verdict
from grader.classroom import rows, similarity, store
from grader.classroom.collect import Answer, Collected
from grader.classroom.layout import Student
from grader.classroom.planning import Plan, Request
from grader.protocol.probe import Job, Outcome
from grader.report import as_gradescope, points
from grader.report.points import Points
from tests.graded import in_process, variants
from tests.marks import todays

STEPS = course.steps()
SEED = 1
SOME = pytest.mark.sampled(4, 2)
"""A quarter of the steps today, and another one in ``test-whole``."""


class Class(NamedTuple):
    """What a class knows before it counts, and the reports by name."""

    plan: Plan
    reports: Mapping[str, Report]


def graded(step: Step, text: str, tmp_path: Path) -> Report:
    path = tmp_path / step.stub.name
    path.write_text(text, encoding="utf-8")
    return in_process.grade(step, path, seed=SEED)


def worth(report: Report) -> float:
    return Points().score(report)


@pytest.fixture(scope="module", autouse=True)
def _engine() -> None:
    from tests.graded import verdicts

    verdicts.start()


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.id)
@SOME
def test_an_error_is_worth_little(step: Step, tmp_path: Path) -> None:
    """That wrong is worth more and right all of it is in ``test_variants``, with its reports."""
    solution = step.solution.read_text(encoding="utf-8")
    assert worth(graded(step, solution + "\nboom\n", tmp_path)) <= 34


class Late(in_process.Inside):
    """A worker whose time runs out at once: what is written counts, and the rest of the grader."""

    def _outcome(self, job: Job) -> Outcome:
        return Outcome("timeout", {}, None)


def compared(step: Step, files: Mapping[str, bytes], spool: Path, *, run: bool) -> Class:
    """Everybody's file graded, then compared with the others."""
    reports, answers, names, kept = {}, {}, {}, {}
    for name, data in files.items():
        digest = hashlib.sha256(data).hexdigest()
        (spool / digest).write_bytes(data)
        running = in_process.Inside() if run else Late()
        reports[name], _ = in_process.graded(step, spool / digest, seed=SEED, running=running)
        shape, runs = similarity.compared(data)
        in_process.unchanged(data)
        answers[Student(name), step.id] = Answer(name, digest, shape=shape, runs=runs)
        names[step.id, digest] = digest
        kept[digest] = store.unpacked(store.packed(reports[name]))
    collected = Collected(tuple(map(Student, files)), answers, ())
    return Class(Plan(collected, spool, names, kept, "", b""), reports)


@pytest.mark.parametrize(
    ("step", "few"),
    [
        *(pytest.param(step, True, marks=SOME) for step in STEPS),
        *(pytest.param(step, False, marks=pytest.mark.whole) for step in todays(4, STEPS)),
    ],
    ids=lambda value: getattr(value, "id", "few" if value else "all"),
)
def test_points_are_the_same_alone_in_a_class_and_for_gradescope(
    step: Step, few: bool, tmp_path: Path
) -> None:
    """And nothing is worth nothing. A class compares everybody's programs before it counts."""
    stub, solution = make_stub(step.solution.read_text("utf-8")).encode(), step.solution
    every = [one for one in variants.of(step.id) if not one.fresh]
    others = [one for one in every if not one.right][:1] if few else every
    files = {"stub": stub, **{one.name: one.source for one in others}}
    plan, reports = compared(step, files, tmp_path, run=few)
    alone = {name: worth(report) for name, report in reports.items()}
    points._free.cache_clear()  # what the stub fulfils: a class works it out for itself
    book = rows.gradebook(Request(tmp_path, (step,), tmp_path), plan)
    assert {person.name: book.score(book.row(person, step.id)) for person in book.people} == alone
    kept = {name: row.report.checks for (name, _), row in book.rows.items() if row.report}
    assert kept == {name: report.checks for name, report in reports.items()}
    told = {name: json.loads(as_gradescope.render(report)) for name, report in reports.items()}
    assert {name: one["score"] for name, one in told.items()} == alone
    assert alone["stub"] == 0
    in_process.unchanged(stub, solution.read_bytes())


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
