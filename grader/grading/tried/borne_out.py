"""Whether what the source shows to be odd is the mistake: what it asks for is tried.

No rule about a text is right of every program: what looks like a slip may be meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from grader.base.model import Trace
from grader.grading.tried import trial
from grader.grading.tried.candidates import compiles
from grader.grading.tried.suggest import Case
from grader.grading.tried.text import Change, Edit, Text, expressions, head_end
from grader.grading.tried.told import Told
from grader.grading.tried.words import Words

MOST = 12
"""Ways to read what is to be written that are tried, of which the smallest come first."""
MOST_S = 0.3
"""Processor time in seconds; a fifth is usual."""


def borne_out(case: Case, trace: Trace) -> bool:
    """Whether the program is right where it failed, with what ``trace`` says to write.

    True where that cannot be tried.
    """
    mine = Text.of_source(case.job.source)
    told = Told(mine, Words(mine, mine, ()), raised=False)
    found = {}
    for edit in sorted((*_plainly(mine, trace), *told.of_trace(trace)), key=lambda one: one.size):
        try:
            found[mine.applied(edit)] = edit
        except ValueError:
            continue
    sources = [one for one in found if one != mine.source and compiles(one)]
    evidence = case.judge.evidence(case.outcome)
    chosen = trial.choose(case.judge.rubric, evidence, case.outcome.seconds)
    if not sources or not chosen.names:
        return True
    return bool(trial.run(chosen, case.job, sources[:MOST], MOST_S, case.meter.start))


def _plainly(mine: Text, trace: Trace) -> Iterator[Edit]:
    """What is to be written in place of its whole statement, or of any expression there."""
    for node in mine.statements if trace.write else ():
        if node.lineno <= (trace.line or 0) <= head_end(node):
            for one in (node, *expressions(node)):
                start, end = mine.span(one)
                size = abs(end - start - len(trace.write))
                yield Edit((Change(start, end, trace.write),), node.lineno, size)
