"""Finds a small edit of a failing program that helps, within a bounded time."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from grader import frameworks
from grader.base.blanks import make_answer
from grader.base.model import Report, Status, Tried, Verdict
from grader.grading.conclude import Judge
from grader.grading.judge import source_findings
from grader.grading.meter import Meter
from grader.grading.tried import places, syntax, trial
from grader.grading.tried.candidates import Candidate, compiles, every, nearest
from grader.grading.tried.followed import Followed, followed
from grader.grading.tried.places import Suspects
from grader.grading.tried.reference import Reference
from grader.grading.tried.text import Edit, Text
from grader.grading.tried.words import Words
from grader.source import parse

if TYPE_CHECKING:
    from grader.protocol.probe import Job, Outcome

BUDGET_S = 1.5
"""Processor time for everything here, in seconds."""
SPARE_S = 0.1
"""What is left over for this process, which judges what workers did."""
MOST_FOLLOWED_S = 0.6
"""Processor time for following both programs; a third is usual."""
MORE = 1.2
"""How much longer the next grading may take than the last."""
FEW = 12
"""Where the reference asks for no more edits than this, the program is built like it."""
EXPLAINING_S = 0.3
"""What it may take this process to say what is wrong with a program."""
MOST_GRADING_S = 0.5
"""What a grading takes, unless it does not end."""
UNFINISHED = 4
"""Where so many checks fail, the program is not finished, and no small edit makes it pass."""
BATCHES = (12, 60, 120, 240)
"""How many programs one worker runs, before the best are graded."""
MOST_LINES = 12
"""Lines of a diff. What is longer is no hint."""
MOST_GRADED = 3
"""Programs of a batch that are graded whole."""


@dataclass(frozen=True)
class Case:
    """A failing program, and what its grading showed. ``judge`` has the step and its inputs.

    What it takes of the processor to explain is on ``meter``.
    """

    judge: Judge
    job: Job
    outcome: Outcome
    report: Report
    meter: Meter


def suggest(case: Case) -> Tried | None:
    """The smallest edit found that makes the program pass, or gets it past a check."""
    return Search(case).found()


class Search:
    """One search for an edit that helps."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._graded = min(case.outcome.spent, MOST_GRADING_S)
        self._evidence = case.judge.evidence(case.outcome)
        self._chosen = trial.choose(case.judge.rubric, self._evidence)
        self._known: set[str] = set()
        self._half: Tried | None = None

    def found(self) -> Tried | None:
        """What helps, if anything does."""
        case = self._case
        right = Text.of_source(make_answer(case.judge.step.solution.read_text(encoding="utf-8")))
        if case.report.problem is not None:
            return self._try(syntax.repairs(case.job.source, right.source)) or self._half
        mine = Text.of_source(case.job.source)
        error = places.first_error(self._evidence)
        suspects = places.suspects(mine, case.report, error)
        towards = Reference(mine, right)
        reference = list(towards.edits())
        if len(reference) <= FEW:
            whole = self._try(nearest(mine, reference, suspects))
            if whole is not None:
                return whole
        failed = sum(check.status is Status.FAIL for check in case.report.checks)
        if failed >= UNFINISHED:
            self._past(mine, reference)
        said = error.about.names if error is not None and error.about is not None else ()
        words = Words(mine, right, said)
        raised = error is not None
        followed, names = self._followed(), towards.names()
        rest = every(mine, reference, suspects, followed, names, words, raised=raised)
        whole = self._try(one for one in rest if compiles(one.source))
        if whole is None and self._half is None:
            self._past(mine, reference)
        return whole or self._half

    def _followed(self) -> Followed | None:
        case = self._case
        if case.outcome.load_error is not None:
            return None
        name = trial.telling(self._evidence)
        if name is None:
            return None
        start = case.meter.start
        return followed(case.judge.step, case.job, self._evidence, start, name, MOST_FOLLOWED_S)

    def _try(self, some: Iterator[Candidate]) -> Tried | None:
        """The first program that passes; what only helps is kept for later."""
        new = (one for one in some if self._worth(one.source))
        for size in BATCHES:
            batch = [one.source for one in islice(new, size)]
            spare = 2 * SPARE_S if self._chosen.exact else 4 * SPARE_S  # to decide every check
            seconds = self._left() - MORE * self._graded - spare
            if not batch or seconds <= 0:
                return None
            start = self._case.meter.start
            helped = trial.run(self._chosen, self._case.job, batch, seconds, start)
            for number in helped[:MOST_GRADED]:
                tried = self._grade(batch[number])
                if tried is not None and tried.passes:
                    return tried
        return None

    def _past(self, mine: Text, reference: list[Edit]) -> None:
        """Try what the hints of the first failing check say, or what changes its line."""
        check = self._case.report.first_to_fix
        if check is None:
            return
        told = {line.strip() for hint in check.hints for line in hint.splitlines()}
        found = [
            (not says, edit.size, edit)
            for edit in reference
            if (says := _says(edit, told)) or edit.line == check.line
        ]
        found.sort(key=lambda one: one[:2])
        for one in nearest(mine, [edit for _, _, edit in found[:1]], Suspects({}, {})):
            self._grade(one.source)

    def _worth(self, source: str) -> bool:
        """Whether a program is a new one, and its change is short enough for a hint."""
        new = source not in self._known
        self._known.add(source)
        return new and len(difference(self._case.job.source, source)) <= MOST_LINES

    def _left(self) -> float:
        """Seconds of the budget that are left."""
        return BUDGET_S - self._case.meter.spent

    def _grade(self, source: str) -> Tried | None:
        """What a program achieves, graded whole; None for nothing, or if there is no time."""
        if self._left() < MORE * self._graded + SPARE_S:
            return None
        report = self._report(source)
        if report is None:
            return None
        passes = report.verdict is Verdict.PASS
        if not passes and not _further(self._case.report, report):
            return None
        tried = Tried(passes, _first(self._case.report), difference(self._case.job.source, source))
        self._half = self._half or tried
        return tried

    def _report(self, text: str) -> Report | None:
        """The report on a program instead of the learner's; None if none can be afforded.

        It takes long to say what is wrong with one that is.
        """
        case = self._case
        source = parse(text.encode(), case.report.file, frameworks.current().spellings())
        findings = source_findings(case.judge.rubric, source)
        with case.meter.start(engine=case.job.engine) as running:
            seconds = self._left() - SPARE_S
            outcome = running.finish(replace(case.job, source=text, seconds=seconds))
        self._graded = max(self._graded, min(outcome.spent, MOST_GRADING_S))
        if case.judge.wrong(outcome) and self._left() < EXPLAINING_S:
            return None
        return replace(case.judge, source=source, findings=findings).report(outcome)


def _says(edit: Edit, told: set[str]) -> bool:
    """Whether an edit writes what was said."""
    lines = {line.strip() for change in edit.changes for line in change.text.splitlines()}
    return any(line in one for line in lines if line for one in told)


def _further(before: Report, after: Report) -> bool:
    """Whether the first check that failed passes now, and none fails that did not before.

    Of a file that was no Python: whether it can be graded now.
    """
    if before.problem is not None:
        return after.problem is None
    now = {check.id for check in after.checks if check.status is Status.PASS}
    was = {check.id for check in before.checks if check.status is Status.PASS}
    return was <= now and _first(before) in now


def _first(report: Report) -> str:
    """What to fix first."""
    return report.first_to_fix.id if report.first_to_fix is not None else ""


def difference(before: str, after: str) -> tuple[str, ...]:
    """The lines that differ: the number of the first, then ``-`` theirs, ``+`` in place of it."""
    mine, other = before.splitlines(), after.splitlines()
    lines: list[str] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, mine, other, False).get_opcodes():
        if kind != "equal":
            lines.append(f"Line {a + 1}:")
            lines += [f"- {line}" for line in mine[a:b]]
            lines += [f"+ {line}" for line in other[c:d]]
    return tuple(lines)
