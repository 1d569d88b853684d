"""Whether what a report says to write helps: it is tried.

No rule about a text is right of every program: what looks like a slip may be meant. And what most
often ends an error may not be what was forgotten here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from enum import Enum
from itertools import islice
from math import inf

from grader.base.model import Report, Trace
from grader.grading.reading.bindings import callee
from grader.grading.tried import trial
from grader.grading.tried.candidates import compiles
from grader.grading.tried.suggest import Case
from grader.grading.tried.text import Change, Edit, Text, expressions, head_end
from grader.grading.tried.told import INSTEAD, WRITE, Told
from grader.grading.tried.words import Words
from grader.protocol.probe import Outcome, SeenError

FIRST, MOST = 1, 4
"""Ways to read what is to be written that are tried at first, and at most.

First those in whose place something similar is: of 77 that help, 72 were the first, none the fifth.
"""
MOST_S, ENOUGH_S = 0.3, 0.32
"""Processor time in seconds for one batch of these; and after which no second one is begun."""
SLOW_S, LATE_S = 0.6, 0.28
"""Seconds of a grading beyond which a program is slow; and after which nothing of it is tried."""

WRONG = "the numbers go wrong"
"""What is told of the line of a change."""


class Helps(Enum):
    """What comes of a change where the program failed."""

    RIGHT = "it is right there, or that cannot be tried"
    PAST = "its error is gone"
    NOT = "nothing"


def helps(case: Case, traces: Sequence[Trace | None], *, whole: bool = True) -> list[Helps | None]:
    """What comes of writing what each of ``traces`` says, at its line; None where there is none.

    Not the ``whole``: where explaining has taken long, only the first way to do so is tried, and
    of a slow program none.
    """
    mine = Text.of_source(case.job.source)
    evidence = case.judge.evidence(case.outcome)
    chosen = trial.choose(case.judge.rubric, evidence, case.outcome.seconds)
    ways = [_written(mine, one) if one is not None else [] for one in traces]
    ended: dict[str, list[SeenError | None] | None] = {}
    for start, end in ((0, FIRST), (FIRST, MOST)):
        most = LATE_S if case.outcome.spent > SLOW_S else ENOUGH_S if start else inf
        if not chosen.names or (case.meter.spent > most and not whole):
            break
        open_ways = [way for way in ways if all(ended.get(one) is not None for one in way[:start])]
        batch = list(dict.fromkeys(one for way in open_ways for one in way[start:end]))
        if batch:
            outcome = trial.ran(chosen, case.job, batch, MOST_S, case.meter.start)
            ended |= {one: _errors(chosen, outcome, number) for number, one in enumerate(batch)}
    error = trial.first_error(evidence)
    return [
        None if one is None else _comes_of([ended.get(each) for each in way], error, mine, one)
        for one, way in zip(traces, ways, strict=True)
    ]


def _errors(trials: trial.Trials, outcome: Outcome, number: int) -> list[SeenError | None] | None:
    """How each trial of a program ended; None if it is right, or there was no time."""
    seen = trial.errors(trials, outcome, number)
    late = len(seen) < len(trials.names)
    return None if late or trials.helped(outcome, number) else seen


def _comes_of(
    ended: Sequence[list[SeenError | None] | None],
    error: SeenError | None,
    mine: Text,
    trace: Trace,
) -> Helps:
    """What comes of the ways to write what a trace says, where ``error`` came without it.

    With another name for one that is unknown, an error in a function that its line calls is one
    of that name.
    """
    failed = [one for one in ended if one is not None]
    if not ended or len(failed) < len(ended):
        return Helps.RIGHT
    unknown = error is not None and error.type_name == "NameError"
    every = mine.statements if unknown else ()
    here = [one for one in every if one.lineno <= (trace.line or 0) <= head_end(one)]
    called = {callee(one) for statement in here for one in ast.walk(statement)}
    after = (one for some in failed for one in some if one is None or one.function not in called)
    past = any(_place(one) != _place(error) for one in after)
    return Helps.PAST if error is not None and past else Helps.NOT


def hinted(report: Report) -> Trace | None:
    """What the hint of the error that is to be fixed first says to write, at its line."""
    first = report.first_to_fix
    if first is None or not first.stopped or first.line is None:
        return None
    write = next((one[1] for hint in first.hints[:1] if (one := WRITE.search(hint))), "")
    return Trace((), first.line, (), write=write) if write else None


def changed(report: Report) -> Trace | None:
    """The trace that says what to write, or what would give what the reference has."""
    first, trace = report.first_to_fix, report.trace
    if first is None or trace is None:
        return None
    return trace if trace.write or varied(trace) else None


def varied(trace: Trace | None) -> bool:
    """Whether it says only what another expression would give there."""
    return trace is not None and not trace.write and any(map(INSTEAD.search, trace.told))


def without_change(report: Report, *, numbers: bool) -> Report:
    """The report without that change, and without its line where nothing else is told of it.

    Where ``numbers`` go wrong stays true.
    """
    trace, first = report.trace, report.first_to_fix
    if trace is None:
        return report
    told = tuple(one for one in trace.told if not INSTEAD.search(one))
    if numbers:
        return replace(report, trace=replace(trace, told=told))
    told = tuple(one for one in told if WRONG not in one and one != trace.slip)
    line = trace.line if first is not None and trace.line == first.line else None
    return replace(
        report, trace=replace(trace, told=told, line=line, write="", slip="", lone=False)
    )


def without_hint(report: Report) -> Report:
    """The report without what its first hint says to write."""
    first = report.first_to_fix
    if first is None:
        return report
    said = (WRITE.sub("", first.hints[0]).strip(), *first.hints[1:])
    less = replace(first, hints=tuple(filter(None, said)))
    checks = tuple(less if one is first else one for one in report.checks)
    return replace(report, checks=checks)


def _written(mine: Text, trace: Trace) -> list[str]:
    """The programs that say what ``trace`` says to write: the likeliest few, the first first.

    Those are at its very line, in place of what is most similar.
    """
    told = Told(mine, Words(mine, mine, ()), raised=False)
    start, end = mine.start(trace.line or 1), mine.start((trace.line or 1) + 1)

    def weight(edit: Edit) -> tuple[bool, float, int]:
        one = edit.changes[0]
        old = mine.data[one.start : one.end].decode()
        alike = SequenceMatcher(None, old, one.text, autojunk=False).ratio()
        return not start <= one.start < end, -alike, edit.size

    found = []
    for edit in sorted((*_plainly(mine, trace), *told.of_trace(trace)), key=weight):
        try:
            found.append(mine.applied(edit))
        except ValueError:
            continue
    new = (one for one in dict.fromkeys(found) if one != mine.source and compiles(one))
    return list(islice(new, MOST))


def _place(error: SeenError | None) -> tuple[str, int | None] | None:
    """Of an error, its type and its line."""
    return (error.type_name, error.line) if error is not None else None


def _plainly(mine: Text, trace: Trace) -> Iterator[Edit]:
    """What is to be written in place of its whole statement, or of any expression there.

    ``if x`` goes in place of the question that is there.
    """
    question = trace.write.removeprefix("if ").removesuffix(":")
    for node in mine.statements if trace.write else ():
        if node.lineno <= (trace.line or 0) <= head_end(node):
            if isinstance(node, ast.If) and trace.write.startswith("if "):
                yield Edit((Change(*mine.span(node.test), question),), node.lineno, 0)
                continue
            for one in (node, *expressions(node)):
                start, end = mine.span(one)
                size = abs(end - start - len(trace.write))
                yield Edit((Change(start, end, trace.write),), node.lineno, size)
