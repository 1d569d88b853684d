"""Finds a small edit of a failing program that helps, within a bounded time."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, islice, repeat
from typing import TYPE_CHECKING

from grader import frameworks
from grader.base.blanks import make_answer
from grader.base.model import Replaced, Report, Status, Tried, Verdict
from grader.explain.meter import Meter
from grader.explain.repair import syntax, trial
from grader.explain.repair.candidates import (
    Candidate,
    compiles,
    ordered,
    setting,
    towards,
    usual,
    valued,
)
from grader.explain.repair.edits import Edit, Text
from grader.explain.repair.state_resets import resets
from grader.explain.state import State
from grader.explain.trace.follow import Followed
from grader.grading.conclude import Judge
from grader.grading.judge import source_findings
from grader.rubric import Failed
from grader.source import parse, placeholders

if TYPE_CHECKING:
    from grader.protocol.probe import Job, Outcome, Probe

BUDGET_S = 1.5
"""Processor time for everything here, in seconds."""
SPARE_S = 0.1
"""What is left over for this process, which judges what workers did."""
MORE = 0.6
"""How much of the last grading must do for the next."""
EXPLAINING_S = 0.3
"""What it may take this process to say what is wrong with a program."""
LEAST_GRADING_S, MOST_GRADING_S = 0.3, 0.5
"""What is kept for a grading at least, and at most: of a long one only a part is run."""
STARTING_S, AS_LONG = 0.15, 1.5
"""What two workers take for nothing, and how much longer a right program may run than a wrong one.
"""
UNFINISHED = 4
"""Where so many checks fail beside a placeholder, no small edit is looked for."""
BATCHES = (3, 8, 24, 60, 120, 240)
"""How many programs one worker runs, before the best are graded: the first few are most likely."""
FEW = (2, 4, *(8,) * 8)
"""The same where every trial without an oracle is run."""
MOST = 4
"""Batches more of the last size."""
ANEW = {"branch": 0, "reset": 1}
"""Kinds of edits after which nothing is kept, the likeliest first."""
MOST_MADE = 1000
"""Edits of what usually goes wrong that are made, on the likeliest lines."""
MOST_LINES = 12
"""Lines of a diff. What is longer is no hint."""
MOST_HELPING, MOST_GRADED = 10, 3
"""Programs of a batch that are run on more trials, and that are graded whole."""
AT_FIRST, AT_FIRST_S, LEAST_S = 3, 0.1, 0.03
"""Trials that are run first of a program that is graded, or those of so many seconds.

And the least time for others.
"""
PART, PART_OF_WRONG = 5, 2
"""It is said of how many trials a program is right if there is time for a fifth of all.

Or for half of those that the learner's program gets wrong.
"""
SEVERAL, CHEAP_S = 3, 0.8
"""With time for so many gradings, or if one takes less, those that help are run on more trials."""


@dataclass(frozen=True)
class Case:
    """A failing program, and what its grading showed. ``judge`` has the step and its inputs.

    ``followed`` are both programs on trials that failed, ``kept`` is what outlives a call, if that
    is what is wrong. What it takes of the processor to explain is on ``meter``.
    """

    judge: Judge
    job: Job
    outcome: Outcome
    report: Report
    followed: tuple[Followed, ...]
    meter: Meter
    kept: State | None = None


def suggest(case: Case) -> Tried | None:
    """The smallest edit found that makes the program pass, or gets it past a check."""
    return Search(case).found()


class Search:
    """One search for an edit that helps."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._graded = case.outcome.spent
        self.evidence = case.judge.evidence(case.outcome)
        self._chosen = trial.choose(case.judge.rubric, self.evidence, case.outcome.seconds)
        self._closely = trial.closely(case.judge.rubric, self.evidence)
        self._wrong = set(trial.wrong(self.evidence) or trial.without_oracle(self.evidence))
        self._known: set[str] = set()
        self._half: Tried | None = None

    def found(self) -> Tried | None:
        """What helps, if anything does."""
        case = self._case
        solution = make_answer(case.judge.step.solution.read_text(encoding="utf-8"))
        if case.report.problem is not None:
            repaired = syntax.repairs(case.job.source, solution)
            return self._try(repaired, BATCHES) or self._half
        clues, words, alike, raised = setting(case.job.source, solution, case.report, self.evidence)
        reference = list(alike.edits())
        failed = sum(check.status is Status.FAIL for check in case.report.checks)
        if failed >= UNFINISHED and placeholders.unfilled(case.judge.source.tree):
            return None
        edits = [*towards(reference), *resets(clues.mine)]
        edits += valued(case.followed, alike.names())
        edits += islice(usual(clues, words, raised=raised), MOST_MADE)
        likely = ordered(edits, clues, raised=raised)
        if case.kept is not None:
            return self._anew(likely, case.kept)
        whole = self._try(likely, (*BATCHES, *repeat(BATCHES[-1], MOST)))
        if whole is None and self._half is None:
            self._past(reference)
        return whole or self._half

    def _anew(self, some: Iterable[Candidate], kept: State) -> Tried | None:
        """The first program that passes, of edits where it uses what it keeps.

        Alone, every trial is right: what helps shows only when all are run.
        """
        there = [one for one in some if one.edit.line in kept.lines or one.edit.kind == "reset"]
        there.sort(key=lambda one: ANEW.get(one.edit.kind, len(ANEW)))
        for one in there[:MOST_HELPING]:
            if compiles(one.source) and (tried := self._grade(one.source)) and tried.holds:
                return tried
        return None

    def _try(self, some: Iterable[Candidate], batches: Sequence[int]) -> Tried | None:
        """The first program that passes; what only helps is kept for later."""
        new = (one.source for one in some if self._worth(one) and compiles(one.source))
        for size in batches if self._chosen.few else FEW:
            batch = list(islice(new, size))
            if not batch:
                break
            batch = self._helping(self._chosen, batch)
            time = self._left() > SEVERAL * self._graded or self._graded < CHEAP_S
            if len(batch) > 1 and time and self._chosen.exact and self._searching() > 0:
                batch = self._helping(self._closely, batch)
            for source in batch[:MOST_GRADED]:
                tried = self._grade(source)
                if tried is not None and (tried.passes or tried.right):
                    return tried
            if self._searching() <= 0:
                break
        return None

    def _helping(self, trials: trial.Trials, batch: Sequence[str]) -> list[str]:
        """Those of some programs that are right on these trials, as far as there is time."""
        seconds = self._searching()
        if not batch or seconds <= 0:
            return []
        start = self._case.meter.start
        helped = trial.run(trials, self._case.job, batch, seconds, start)
        return [batch[number] for number in helped[:MOST_HELPING]]

    def _searching(self) -> float:
        """Seconds that are left for the search, with what the last grading needs kept."""
        spare = 2 * SPARE_S if self._chosen.few else 4 * SPARE_S  # to decide every check
        return self._left() - self._kept() - spare

    def _kept(self) -> float:
        """Seconds that are kept for the last grading, or for a part of it."""
        most = LEAST_GRADING_S if self._chosen.alone else MOST_GRADING_S
        return min(max(MORE * self._graded, LEAST_GRADING_S), most, self._enough_s)

    @cached_property
    def _enough_s(self) -> float:
        """Seconds for as many trials as it takes to say how many a program has right."""
        every = [self._took(one) for one in self._in_order()]
        few = min(-(-len(self._wrong) // PART_OF_WRONG), -(-len(every) // PART))
        needed = few if self._chosen.exact else len(self._wrong)
        return STARTING_S + AS_LONG * sum(every[:needed])

    def _past(self, reference: list[Edit]) -> None:
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
        for _, _, edit in sorted(found, key=lambda one: one[:2])[:1]:
            self._grade(Text.of_source(self._case.job.source).applied(edit), whole=True)

    def _worth(self, one: Candidate) -> bool:
        """Whether a program is a new one, and its change is short enough for a hint."""
        new = one.source not in self._known
        self._known.add(one.source)
        mine = self._case.job.source.encode()
        lines = sum(
            mine.count(b"\n", change.start, change.end) + change.text.count("\n")
            for change in one.edit.changes
        )
        return new and lines < MOST_LINES

    def _left(self) -> float:
        """Seconds of the budget that are left."""
        return BUDGET_S - self._case.meter.spent

    def _grade(self, source: str, *, whole: bool = False) -> Tried | None:
        """What a program achieves, graded whole; None for nothing, or if there is no time.

        Where the time is enough for a part of the trials, it is said how many were right.
        """
        changes = difference(self._case.job.source, source)
        if self._left() < self._kept() + SPARE_S or length(changes) > MOST_LINES:
            return None
        outcome = self.outcome(source, whole=whole)
        first, every = _first(self._case.report), len(self._case.job.probes)
        done = len(outcome.observations)
        if outcome.ended == "done" and outcome.load_error is None and done < every:
            settled = len(outcome.observations.keys() & self._wrong)
            if self._chosen.exact:
                enough = PART_OF_WRONG * settled >= len(self._wrong) or PART * done >= every
            else:
                enough = settled == len(self._wrong)
            if not enough or not self._right(outcome) or self._fails_still(outcome):
                return None
            self._half = Tried(False, first, changes, (done, every))
            return self._half
        report = self._report(source, outcome)
        if report is None:
            return None
        passes = report.verdict is Verdict.PASS
        if not passes and not _further(self._case.report, report):
            return None
        tried = Tried(passes, first, changes)
        self._half = self._half or tried
        return tried

    def outcome(self, source: str, *, whole: bool = False) -> Outcome:
        """What a program does, on as many trials as there is time for.

        If some of the first few are wrong, no others are run, but for a ``whole`` grading.
        """
        probes = self._in_order()
        if whole or not self._chosen.few:
            return self._run(source, probes)
        took = accumulate(map(self._took, probes))
        few = max(AT_FIRST, sum(one <= AT_FIRST_S for one in took))
        few = few if self._chosen.exact else len(self._wrong)
        first = self._run(source, probes[:few])
        if first.ended != "done" or first.load_error is not None or not self._right(first):
            return first
        rest = self._run(source, probes[few:])
        self._graded = max(self._graded, first.spent + rest.spent)
        return replace(rest, observations={**first.observations, **rest.observations})

    def _in_order(self) -> list[Probe]:
        """The trials: those that the learner's program gets wrong first, and of these the short."""

        def place(one: Probe) -> tuple[bool, float, int, int]:
            size = trial.size(self.evidence, one.name)
            return one.name not in self._wrong, self._took(one), len(one.actions), size

        return sorted(self._case.job.probes, key=place)

    def _took(self, probe: Probe) -> float:
        """Seconds that a trial took; of one that raised an error, who knows how long it takes."""
        raised = self.evidence.error(probe.name) is not None
        return AT_FIRST_S if raised else self._case.outcome.seconds.get(probe.name, 0.0)

    def _run(self, source: str, probes: Sequence[Probe]) -> Outcome:
        """What a program does on these trials, as far as there is time."""
        case, seconds = self._case, self._left() - SPARE_S
        job = replace(case.job, source=source, probes=tuple(probes), seconds=max(seconds, LEAST_S))
        with case.meter.fresh(engine=job.engine) as running:
            outcome = running.finish(job)
        self._graded = max(self._graded, outcome.spent)
        done = {name: one for name, one in outcome.observations.items() if not trial.late(one)}
        return replace(outcome, observations=done)

    def _right(self, outcome: Outcome) -> bool:
        """Whether a program is right on all the trials that were run."""
        evidence = self._case.judge.evidence(outcome)
        trials = ((name, evidence.trials[name]) for name in outcome.observations)
        right = all(
            evidence.right(name)
            for name, one in trials
            if one.expect is not None and not (one.part or one.wished)
        )
        exact = self._chosen.exact  # else what fails is no number, and only checks know of it
        return right and (exact or trial.settled(self._case.judge.rubric, self.evidence, evidence))

    def _fails_still(self, outcome: Outcome) -> bool:
        """Whether a check that failed fails on what a program did so far."""
        evidence = self._case.judge.evidence(outcome)
        failed = {one.id for one in self._case.report.checks if one.status is Status.FAIL}
        every = (one.rule for one in self._case.judge.rubric.checks if one.id in failed)
        return any(isinstance(rule(evidence), Failed) for rule in every if rule is not None)

    def _report(self, text: str, outcome: Outcome) -> Report | None:
        """The report on a program instead of the learner's; None if none can be afforded.

        It takes long to say what is wrong with one that is.
        """
        case = self._case
        if case.judge.wrong(outcome) and self._left() < EXPLAINING_S:
            return None
        source = parse(text.encode(), case.report.file, frameworks.current().spellings())
        findings = source_findings(case.judge.rubric, source)
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


def difference(before: str, after: str) -> tuple[Replaced, ...]:
    """The lines that differ."""
    mine, other = before.splitlines(), after.splitlines()
    matcher = difflib.SequenceMatcher(None, mine, other, False)
    return tuple(
        Replaced(a + 1, tuple(mine[a:b]), tuple(other[c:d]))
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind != "equal"
    )


def length(changes: Sequence[Replaced]) -> int:
    """The lines of a diff."""
    return sum(1 + len(one.old) + len(one.new) for one in changes)
