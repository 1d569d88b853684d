"""The one small edit after which every number is right: where to change a program, and how.

It is looked for in every report on wrong numbers that nothing else explains for sure, so it may
take a fraction of what :mod:`suggest` may. What is told has passed the trials that it names.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from grader.base.blanks import make_answer
from grader.base.model import Report, Trace
from grader.base.sanitize import on_one_line
from grader.grading.placing import SAYS, TRY
from grader.grading.reading import bindings
from grader.grading.tried import trial
from grader.grading.tried.candidates import (
    Candidate,
    calls_of,
    loses,
    ordered,
    own_functions,
    setting,
    usual,
)
from grader.grading.tried.possible import Possible
from grader.grading.tried.suggest import Case, difference
from grader.grading.tried.text import Text
from grader.rubric import Evidence
from grader.source import placeholders

EVERY, SOME = "every number is right", "the numbers are right in the short trials"
"""What comes of an edit: on all trials, or on those that were run again."""
LONGEST = 200
"""Characters of a sentence."""
TRIED = f"{TRY}with "
"""How the sentence on an edit begins that is shown."""
BUDGET_S = 0.26
"""Processor time in seconds for the tries, and for the one grading that confirms."""
MOST_S = 0.34
"""The same, with all that was done before to explain the failure."""
LEAST_S = 0.1
"""With less left of it, nothing is tried: to make the edits takes most of that."""
MOST_GRADING_S = 0.17
"""What one grading may have taken for another one: of a slower program, small trials must do."""
MOST_MADE = 500
"""Edits of what usually goes wrong that are made, on the likeliest lines: 15 ms."""
BATCHES, BATCH = (24, 40), (16, 24)
"""How many edits are tried at once, on one trial; and of a slow program."""
MOST_HELPING = 10
"""Edits of a batch that are looked at more closely."""
FEW, FEW_RIGHT = 4, 2
"""Trials on which they are: those that the program gets wrong, and others."""
MOST_SHOWN, SHORT = 80, 48
"""Characters of code in a sentence; and up to which what surrounds a change is shown with it."""
TINY = 3
"""Characters of what is to be written up to which it is said in place of what."""


@dataclass(frozen=True)
class Single:
    """The edit, and the line that it changes; ``lines`` are all that change."""

    line: int
    said: str
    write: str
    lines: tuple[str, ...]


def traced(case: Case, *, fixed: bool) -> Report:
    """The report; with the edit in its trace, where that is not sure of its line.

    ``fixed``: an error says itself what to write, and that helps.
    """
    report = case.report
    if (fixed and _stays(report)) or _is_sure(report, case.judge.source.tree):
        return report
    found = single(case)
    if found is None:
        return report
    edits = ((found.said, found.lines), (f"Write {found.write}", found.lines))
    return replace(report, trace=_with(found, case), edits=edits)


def _with(found: Single, case: Case) -> Trace:
    """The report's trace with the edit; the edit alone where the trace is of another line."""
    trace = case.report.trace
    sure = bool(found.write)
    if trace is not None and trace.line in bindings.statement_at(
        case.judge.source.tree, found.line
    ):
        told = (*(one for one in trace.told if not one.startswith(SAYS)), found.said)
        return replace(trace, told=told, write=found.write, sure=sure, lone=True)
    margin = () if trace is None else trace.margin
    return Trace((found.said,), found.line, margin, "", found.write, sure, lone=True)


def _is_sure(report: Report, tree: ast.Module) -> bool:
    """Whether the trace says what to write, or points where a mistake is that has a name."""
    trace = report.trace
    if trace is None or trace.line is None or not trace.told:
        return False
    here = bindings.statement_at(tree, trace.line)
    followed = any(one.mark == "right" for one in trace.margin)  # else its line says little
    named = followed and any(one.line in here for one in report.diagnosis)
    return trace.lone or bool(trace.slip or trace.write) or named


def _stays(report: Report) -> bool:
    """Whether what is told first stays at the line of the error."""
    check, trace = report.first_to_fix, report.trace
    if check is None or trace is None or not trace.told:
        return check is not None
    return trace.line in (None, check.line)


def single(case: Case) -> Single | None:
    """The likeliest edit after which every trial is right; None if none was found in time."""
    evidence = case.judge.evidence(case.outcome)
    chosen = trial.choose(case.judge.rubric, evidence, {})
    spent = case.meter.spent
    left = min(BUDGET_S, MOST_S - spent)
    if left < LEAST_S or not chosen.exact or placeholders.unfilled(case.judge.source.tree):
        return None
    slow = case.outcome.spent > min(MOST_GRADING_S, left - LEAST_S)
    until = spent + left - (0.0 if slow else case.outcome.spent)
    mine = Text.of_source(case.job.source)
    closely = replace(chosen, names=_spread(evidence))
    candidates = _candidates(case, mine)
    for size in BATCH if slow else BATCHES:
        tried = list(islice(candidates, size))
        for trials in (chosen, closely):
            left = until - case.meter.spent
            if left <= 0 or not tried:
                break
            sources = [one.source for one in tried]
            helped = trial.run(trials, case.job, sources, left, case.meter.start)
            tried = [tried[number] for number in helped[:MOST_HELPING]]
        else:
            if tried and (slow or _is_right(case, tried[0].source)):
                return _told(mine, tried[0], SOME if slow else EVERY)
    return None


def _spread(evidence: Evidence) -> tuple[str, ...]:
    """A few trials of the whole program, wrong ones and others: small ones and some larger."""
    names = [n for n, t in evidence.trials.items() if t.expect and not t.part and not t.wished]
    names.sort(key=lambda name: sum(array.size for array in evidence.expected(name).values()))
    small = names[: len(names) * 3 // 4] or names
    right = {name for name in small if evidence.right(name)}
    parts = [name for name in small if name not in right], [name for name in small if name in right]
    return tuple(
        name
        for part, few in zip(parts, (FEW, FEW_RIGHT), strict=True)
        for name in part[:: -(-len(part) // few) or 1]
    )


def _candidates(case: Case, mine: Text) -> Iterator[Candidate]:
    """The edited programs, the likeliest first."""
    solution = make_answer(case.judge.step.solution.read_text(encoding="utf-8"))
    evidence = case.judge.evidence(case.outcome)
    clues, words, alike, raised = setting(case.job.source, solution, case.told, evidence)
    made = islice(usual(clues, words, raised=raised), MOST_MADE)
    edits = [*alike.edits(), *made]
    found = ordered(edits, clues, raised=raised)
    possible, trace = Possible(mine, Text.of_source(solution), raised), case.report.trace
    line = trace.line if trace is not None else None
    wrong = calls_of(own_functions(mine, line or 0))  # to do without them explains nothing
    return (one for one in found if possible.may_be(one.edit) and not loses(mine, one.edit, wrong))


def _is_right(case: Case, source: str) -> bool:
    """Whether a program passes every check of what it does."""
    with case.meter.fresh(engine=case.job.engine) as running:
        outcome = running.finish(replace(case.job, source=source))
    return not case.judge.wrong(outcome)


def _told(mine: Text, best: Candidate, what: str) -> Single | None:
    """What an edit is, and ``what`` comes of it: with as much around it as is short."""
    edit = best.edit
    start, end = min(c.start for c in edit.changes), max(c.end for c in edit.changes)
    spans = [mine.span(one) for one in mine.nodes if isinstance(one, ast.expr)]
    around = sorted((s for s in spans if _holds(s, start, end)), key=lambda s: s[1] - s[0])
    texts = [
        (on_one_line(mine.data[a:b].decode()), on_one_line(mine.part((a, b), edit.changes)))
        for a, b in around
    ]
    shown = [one for one in texts[:1] if max(map(len, one)) <= MOST_SHOWN]
    shown = [one for one in texts if max(map(len, one)) <= SHORT] or shown
    if not shown:
        return _line(mine.source, best.source, what)
    line, (old, new) = 1 + mine.data[: around[0][0]].count(b"\n"), shown[-1]
    write = new if len(new) > TINY else f"{new} in place of {old}"
    said = f"{TRIED}{new} instead of {old} on line {line}, {what}."
    return Single(line, said, write, difference(mine.source, best.source))


def _line(before: str, after: str, what: str) -> Single | None:
    """What an edit of one whole line is, in a sentence; None for an edit of more."""
    lines = difference(before, after)
    old = [one[2:].strip() for one in lines if one.startswith("- ")]
    new = [one[2:].strip() for one in lines if one.startswith("+ ")]
    if sum(one.startswith("Line ") for one in lines) != 1 or max(len(old), len(new)) > 1:
        return None
    line = int(lines[0].removeprefix("Line ").rstrip(":"))
    if old == new and new:
        said = f"{TRIED}line {line} indented otherwise, {what}."
    elif old and new:
        said = f"{TRIED}{new[0]} instead of {old[0]} on line {line}, {what}."
    elif new:
        said = f"{TRIED}{new[0]} before line {line}, {what}."
    else:
        said = f"{TRY}without line {line}, {old[0]}, {what}."
    return (
        Single(line, said, new[0].rstrip(",") if new and old != new else "", lines)
        if len(said) <= LONGEST
        else None
    )


def _holds(span: tuple[int, int], start: int, end: int) -> bool:
    return span[0] <= start and end <= span[1] and span != (start, start)
