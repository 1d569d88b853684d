"""What --strict says about programs whose numbers are right."""

from __future__ import annotations

from grader import sandbox
from grader.base import course
from grader.base.model import Status, Verdict
from grader.grading import pipeline
from tests.graded import variants


def test_what_strict_says_about_right_numbers(workers: sandbox.WorkerPool) -> None:
    step, seen = course.find("s05"), 0
    for one in variants.sample(variants.of("s05", right=True), 12):
        options = pipeline.Options(seed=1, strict=True)
        report = pipeline.grade(step, step.stub, options, workers.start, one.source)
        for check in report.checks:
            if check.status is Status.FAIL:
                seen += 1
                assert check.message.startswith("Not written as in the lesson: ")
                assert check.note is not None
                assert check.note.startswith("Your numbers are right.")
        assert report.verdict in (Verdict.PASS, Verdict.FAIL)
    assert seen
