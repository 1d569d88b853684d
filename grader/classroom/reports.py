"""The report on one submission, whatever happened to it."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from grader import pipeline
from grader.base import course, sanitize
from grader.base.model import Report, Status, Step, Verdict
from grader.classroom import grading
from grader.classroom.collect import Answer, only
from grader.pipeline import Options


def grade_one(where: Path, step: Step) -> Report:
    """Report on one student's folder: on the newest file in it that answers ``step``."""
    with tempfile.TemporaryDirectory(prefix="class-") as folder:
        answer = only(where, step.id, Path(folder))
        if answer is None or answer.instead:
            missing = f"There is no step_{step.number}.py"
            missing += f" ({answer.problem})" if answer else ""
            return pipeline.unreadable(step, missing, "Hand in a file with this name.")
        if not answer.digest:
            return unread(step, answer)
        data = (Path(folder) / answer.digest).read_bytes()
        grader = grading.Grader()
        try:
            return grading.unpacked(grader.grade(step.id, data, Options()))
        except grading.Overrun as problem:
            return _failed(step, f"The grader failed on this file. {problem}")
        finally:
            grader.close()


def finished(step: str, result: bytes | None, error: BaseException | None) -> Report:
    """Return a task's report, or one about the error in which the task ended."""
    try:
        if result is not None:
            return replace(grading.unpacked(result), duration_s=0.0)
    except grading.Overrun as problem:
        error = problem
    said = f"{error}" if isinstance(error, grading.Overrun) else f"{type(error).__name__}: {error}"
    return _failed(course.find(step), f"The grader failed on this file. {said}")


def _failed(step: Step, why: str) -> Report:
    """Report on what could not be graded, through no known fault of the file."""
    failed = pipeline.unreadable(step, "")
    checks = tuple(replace(check, status=Status.ERROR, note=None) for check in failed.checks)
    notes = (sanitize.line(why, 400),)
    return replace(failed, verdict=Verdict.ERROR, checks=checks, problem=None, notes=notes)


def unread(step: Step, answer: Answer) -> Report:
    """Report on an unreadable file. If it was damaged in transit, that costs nobody points."""
    if answer.damaged:
        return _failed(step, f"{answer.problem}. {answer.hint}")
    return pipeline.unreadable(step, answer.problem, answer.hint)
