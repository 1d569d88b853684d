"""The surest explanation of a failure: in the source, by the values, or by a try."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from grader.grading.tried import lone
from grader.grading.tried.helping import (
    Helps,
    changed,
    helps,
    hinted,
    varied,
    without_change,
    without_hint,
)
from grader.grading.tried.suggest import Case

if TYPE_CHECKING:
    from grader.base.model import Report
    from grader.grading.conclude import Judge
    from grader.grading.meter import Meter
    from grader.protocol.probe import Job, Outcome


def explained(judge: Judge, job: Job, outcome: Outcome, found: Report, meter: Meter) -> Report:
    """The report, whose trace follows the values, with what explains the failure best.

    What only looks odd in the source is told if the program is right without it. What an error's
    hint says to write is told if that gets the program past the error, and so is what the values
    suggest to write. Where neither is sure, the likeliest edits are tried.
    """
    told = replace(found, trace=lone.traced(judge.source, judge.step, found))
    if outcome.ended == "done":
        case = Case(judge, job, outcome, told, told, meter)
        guess = lone.is_guess(told.trace, found.trace)
        change, hint = told.trace if guess else changed(told), hinted(told)
        changing, hinting = helps(case, (change, hint), whole=guess)
        stays = _of_numbers(told)
        if guess and changing is not Helps.RIGHT:
            sure = lone.traced(judge.source, judge.step, found, slips=False)
            case = case.with_told(replace(found, trace=sure))
        elif changing is Helps.NOT:
            case = case.with_told(without_change(told, numbers=stays))
        if hinting is Helps.NOT:
            case = case.with_told(without_hint(case.told))
        return case.told
    return told


def _of_numbers(report: Report) -> bool:
    """Whether it says of wrong numbers what another expression would give."""
    first = report.first_to_fix
    return first is not None and not first.stopped and varied(report.trace)
