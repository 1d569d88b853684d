"""What several formats share."""

from __future__ import annotations

from collections import Counter

from grader import __version__
from grader.base.model import LEVELS, CheckResult, Explanation, Report, Status

VERSION = f"Grader version {__version__}."


def said(check: CheckResult) -> list[str]:
    """What goes under a failed check: where, why, and its first hint."""
    where = f"{check.place}: {check.text or ''}".rstrip(": ")
    hint = f"Hint: {check.hints[0]}" if check.hints else ""
    return [line for line in (where, check.note or "", hint) if line]


def hints(of: CheckResult | Explanation, level: int) -> tuple[str, ...]:
    """The hints that are shown at a level, at least the first; at the last level all."""
    return of.hints if level >= LEVELS else of.hints[: max(1, level)]


def used_up(check: CheckResult, level: int) -> bool:
    """Whether more is to be shown than the check has hints."""
    return level > max(1, len(check.hints))


def waiting(report: Report) -> list[str]:
    """How many checks wait for which other, in a line for each that others wait for."""
    every = (check.waits_for for check in report.checks if check.status is Status.NOT_RUN)
    counted = Counter(sentence for sentence in every if sentence is not None)
    return [
        f"{count} more {'waits' if count == 1 else 'wait'} for: {sentence}"
        for sentence, count in counted.items()
    ]


def fault(report: Report) -> str:
    """Why the grader could not finish, and what to do."""
    problem = report.problem
    told = (problem.message, *problem.hints[:1]) if problem else ()
    return "\n".join((*told, *report.notes)) or "The grader could not finish."
