"""Grades the learner's own file and records the attempt."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader import sandbox
from grader.base.model import LEVELS, CheckResult, Report, Status, Step
from grader.learner import progress
from grader.learner.progress import StepProgress
from grader.learner.tasks import task

if TYPE_CHECKING:
    from grader.pipeline import Options


@dataclass(frozen=True)
class Attempt:
    """A report, the step's progress including it, and a note on the progress file or None.

    ``cell`` is the program if it is in a notebook, as
    :func:`grader.source.notebook.graded_cell` makes it; None if it is the step's own file.
    """

    report: Report
    known: StepProgress
    note: str | None = None
    cell: bytes | None = None


def attempt(
    step: Step,
    options: Options,
    start: Callable[..., sandbox.Worker] = sandbox.start,
    cell: bytes | None = None,
) -> Attempt:
    """Grade the learner's file of ``step``, or the ``cell``, and count it unless untouched."""
    from grader.pipeline import grade

    return noted(step, grade(step, place(step, cell), options, start, cell), cell)


def noted(step: Step, report: Report, cell: bytes | None = None) -> Attempt:
    """Count one grading of the learner's file of ``step``, or of ``cell``, unless untouched."""
    if report.problem is not None or _untouched(step, report, cell):
        known, note = progress.read(step.root)
        shown = _mendable(step, report) if cell is None else report
        return Attempt(shown, known.get(step.id, progress.UNTOUCHED), note, cell)
    digest = report.digest if cell is None else progress.CELL + _code_digest(cell)
    counted = replace(report, digest=digest)
    after, note = progress.update(
        step.root, step.id, lambda before: progress.attempted(before, counted)
    )
    return Attempt(report, after, note, cell)


def _untouched(step: Step, report: Report, cell: bytes | None) -> bool:
    """Whether it is still the stub. A cell may contain the stub in the file's form, too."""
    from grader.learner import stub

    if cell is None:
        return stub.untouched(step, report.digest)
    return stub.untouched_cell(step, cell.partition(b"\n")[2])


def place(step: Step, cell: bytes | None) -> Path:
    """Return the program's name: the learner's file, or the cell."""
    return step.stub if cell is None else step.root / f"cell_{step.number}.py"


def _code_digest(cell: bytes) -> str:
    """Return the SHA-256 of a cell below its first line: a new seed there makes no new program."""
    return hashlib.sha256(cell.partition(b"\n")[2]).hexdigest()


def _mendable(step: Step, report: Report) -> Report:
    """Return ``report``; if the step's own file is missing, add how to get it back."""
    if report.problem is None or os.path.lexists(step.stub):
        return report
    hint = f"This restores the file, with its blanks: {task(f'reset {step.id}')}"
    return replace(report, problem=replace(report.problem, hints=(hint,)))


def one_more_hint(step: Step, found: Attempt, check_id: str | None = None) -> Attempt:
    """Add one more hint for a check to ``found``: the named check, or the first failing one."""
    from grader.learner import hints

    failing = _first(found)
    wanted = check_id or (failing.id if failing is not None else None)
    if wanted is None:
        return found
    level = min(LEVELS + 1, hints.level(found.known.checks.get(wanted, progress.Tried())) + 1)
    after, note = progress.update(
        step.root, step.id, lambda before: progress.asked(before, wanted, level)
    )
    return replace(found, known=after, note=found.note or note)


def _first(found: Attempt) -> CheckResult | None:
    """Return the first failing check."""
    return next((one for one in found.report.checks if one.status is Status.FAIL), None)
