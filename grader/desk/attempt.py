"""Grades the learner's own file and notes the attempt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader import progress, sandbox
from grader.model import Report, Status, Step
from grader.progress import StepProgress

if TYPE_CHECKING:
    from grader.pipeline import Options


@dataclass(frozen=True)
class Attempt:
    """A report, what is known of the step with it, and a note on the progress file or None."""

    report: Report
    known: StepProgress
    note: str | None = None


def attempt(
    step: Step, options: Options, start: Callable[..., sandbox.Running] = sandbox.start
) -> Attempt:
    """Grade the learner's file of ``step`` and count it, unless it is untouched."""
    from grader.pipeline import grade

    return noted(step, grade(step, step.stub, options, start))


def noted(step: Step, report: Report) -> Attempt:
    """Count a grading of the learner's file of ``step``, unless the file is untouched."""
    from grader.stubs import untouched

    if report.problem is not None:
        known, note = progress.read(step.root)
        return Attempt(report, known.get(step.id, progress.UNTOUCHED), note)
    try:
        data = step.stub.read_bytes()
    except OSError:  # it went away meanwhile
        data = b""
    if not data or untouched(step, data):
        known, note = progress.read(step.root)
        return Attempt(report, known.get(step.id, progress.UNTOUCHED), note)
    after, note = progress.update(
        step.root, step.id, lambda before: progress.attempted(before, report, data)
    )
    return Attempt(report, after, note)


def one_more_hint(step: Step, found: Attempt, check_id: str | None = None) -> Attempt:
    """``found`` with one more hint for a check: the one named, else the first that fails."""
    from grader import hints

    failing = [check.id for check in found.report.checks if check.status is Status.FAIL]
    wanted = check_id or next(iter(failing), None)
    if wanted is None:
        return found
    level = min(hints.LEVELS, hints.level(found.known.checks.get(wanted, progress.Tried())) + 1)
    after, note = progress.update(
        step.root, step.id, lambda before: progress.asked(before, wanted, level)
    )
    return Attempt(found.report, after, found.note or note)
