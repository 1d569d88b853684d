"""What --strict says about programs whose numbers are right."""

from __future__ import annotations

from grader import pipeline, sandbox
from grader.base import course
from grader.base.model import Status, Verdict
from tests.graded import variants
from tests.marks import todays


def test_what_strict_says_about_right_numbers(workers: sandbox.WorkerPool) -> None:
    step = course.find("s05")
    for one in todays(40, variants.of("s05", right=True)):
        options = pipeline.Options(seed=1, strict=True)
        report = pipeline.grade(step, step.stub, options, workers.start, one.source)
        for check in report.checks:
            if check.status is Status.FAIL:
                assert check.message.startswith("Not written as in the lesson: ")
                assert check.note is not None
                assert check.note.startswith("Your numbers are right.")
        assert report.verdict in (Verdict.PASS, Verdict.FAIL)
