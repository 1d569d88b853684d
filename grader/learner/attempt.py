"""Grades the learner's own file and notes the attempt."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from grader import sandbox
from grader.base.model import LEVELS, CheckResult, Report, Status, Step, Verdict
from grader.learner import progress
from grader.learner.progress import StepProgress
from grader.learner.tasks import task

if TYPE_CHECKING:
    from grader.grading.pipeline import Options


@dataclass(frozen=True)
class Attempt:
    """A report, the step's progress including it, and a note on the progress file or None."""

    report: Report
    known: StepProgress
    note: str | None = None


def attempt(
    step: Step, options: Options, start: Callable[..., sandbox.Worker] = sandbox.start
) -> Attempt:
    """Grade the learner's file of ``step`` and count it, unless it is untouched."""
    from grader.grading.pipeline import grade

    return noted(step, grade(step, step.stub, options, start))


def noted(step: Step, report: Report) -> Attempt:
    """Count one grading of the learner's file of ``step``, unless the file is untouched."""
    from grader.learner.stub import untouched

    if report.problem is not None or untouched(step, report.digest):
        known, note = progress.read(step.root)
        return Attempt(_mendable(step, report), known.get(step.id, progress.UNTOUCHED), note)
    after, note = progress.update(
        step.root, step.id, lambda before: progress.attempted(before, report)
    )
    return Attempt(report, after, note)


def _mendable(step: Step, report: Report) -> Report:
    """``report``; if the step's own file is missing, with how to get it back."""
    if report.problem is None or os.path.lexists(step.stub):
        return report
    hint = f"This restores the file, with its blanks: {task(f'reset {step.id}')}"
    return replace(report, problem=replace(report.problem, hints=(hint,)))


def one_more_hint(step: Step, found: Attempt, check_id: str | None = None) -> Attempt:
    """``found`` with one more hint for a check: the one named, else the first that fails."""
    from grader.learner import hints

    _, failing = _first(found)
    wanted = check_id or (failing.id if failing is not None else None)
    if wanted is None:
        return found
    level = min(LEVELS + 1, hints.level(found.known.checks.get(wanted, progress.Tried())) + 1)
    after, note = progress.update(
        step.root, step.id, lambda before: progress.asked(before, wanted, level)
    )
    return Attempt(found.report, after, found.note or note)


def last_hint(
    step: Step,
    options: Options,
    found: Attempt,
    start: Callable[..., sandbox.Worker],
    check_id: str | None = None,
) -> Attempt:
    """``found`` with a change that was tried, if the hints of a check are used up.

    It is the check of that name, else the first that fails.
    """
    from grader.learner import hints

    tried, check = _first(found, check_id)
    due = found.report.problem is not None or (check is not None and hints.used_up(tried, check))
    return _with_change(step, options, found, start) if due else found


def unasked(
    step: Step, options: Options, found: Attempt, start: Callable[..., sandbox.Worker]
) -> Attempt:
    """``found`` with a change that was tried, after many attempts at the first failing check."""
    from grader.learner import hints

    tried, check = _first(found)
    due = check is not None and hints.stuck(tried)
    return _with_change(step, options, found, start) if due else found


def _first(
    found: Attempt, check_id: str | None = None
) -> tuple[progress.Tried, CheckResult | None]:
    """The first failing check, or the named one if it fails, and what was done about it."""
    failing = [check for check in found.report.checks if check.status is Status.FAIL]
    check = next((one for one in failing if check_id in (None, one.id)), None)
    tried = found.known.checks.get(check.id) if check is not None else None
    return tried or progress.Tried(), check


def _with_change(
    step: Step, options: Options, found: Attempt, start: Callable[..., sandbox.Worker]
) -> Attempt:
    from grader.grading.pipeline import Follow, grade

    report = found.report
    if report.verdict not in (Verdict.FAIL, Verdict.TIMEOUT):
        return found
    asked = replace(options, seed=report.seed, follow=Follow.NOT, tried=True)
    again = grade(step, step.stub, asked, start)
    return replace(found, report=replace(report, tried=again.tried))
