"""Follows a failing program beside the reference, and says where its numbers leave the path.

Both run once more on the inputs of a trial that failed. What is said comes from the learner's
process: it explains, and never decides.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from grader.base.blanks import regions
from grader.base.model import Step, Trace
from grader.explain.trace import trials
from grader.explain.trace.alignment import Comparison, Departure
from grader.explain.trace.inlining import opened
from grader.explain.trace.lesson import Lesson
from grader.explain.trace.localize import Localizer
from grader.explain.trace.relations import TooMuch
from grader.explain.trace.run import Run
from grader.protocol.probe import (
    Action,
    Array,
    ArrayArg,
    Call,
    Job,
    Load,
    Make,
    Observation,
    SeenArray,
    SeenError,
    SeenTensor,
    TensorArg,
)
from grader.rubric import Evidence, Rubric, Trial
from grader.source.ast_cache import walked
from grader.source.bindings import callee, functions

if TYPE_CHECKING:
    from grader import sandbox

Start = Callable[..., "sandbox.Worker"]

Seen = Mapping[str, Observation]
"""What a program did, by trial."""

MOST_S = 2.0
"""Processor time for both programs; a tenth is usual."""


@dataclass(frozen=True)
class Settings:
    """How a program is followed: with ``whole`` even where every trial is right.

    ``numbers``: what its checks show is wrong numbers, and no error.
    """

    whole: bool = False
    numbers: bool = False


@dataclass(frozen=True)
class Followed:
    """Both programs on the inputs of one trial, which may have ended with an ``error``.

    ``result`` is the learner's first wrong result among the values, ``number`` the same if it is a
    plain one.
    """

    comparison: Comparison
    error: SeenError | None = None
    result: int | None = None
    number: float | None = None

    def departures(self) -> tuple[Departure, ...]:
        """Where the values leave the path; none where that cannot be said.

        Of a program that raised an error: where the values of that line come from.
        """
        found: dict[int, Departure] = {}
        results = [self.result] if self.result is not None else self._at_the_error()
        try:
            for result in results:
                found |= {one.node: one for one in self.comparison.departures(result)}
            if not found and self.result is not None:
                found |= self._too_early(self.result)
            for result in results if self.error is not None else ():
                strict = self.comparison.departures(result, parts=False)
                found |= {one.node: one for one in strict}
        except TooMuch:
            return ()
        return tuple(found.values()) or tuple(self._refused())

    def trace(self, lesson: Lesson) -> Trace | None:
        """Where the program leaves the path; None if its values are too many to compare."""
        localizer = Localizer(lesson)
        try:
            if self.error is not None and self.error.line is not None:
                return localizer.raised(self.error)
            if self.result is not None:
                return localizer.wrong(self.result)
            if self.number is not None:
                return localizer.number(self.number)
            return localizer.unused()
        except TooMuch:
            return None

    def _too_early(self, result: int) -> dict[int, Departure]:
        """The last place of a result that the reference has too, as a step on its way."""
        places = [place for place in self.comparison.mine.places if place.value == result]
        if not places or not self.comparison.known(result):
            return {}
        return {places[-1].node: Departure(places[-1].node, result, (result,))}

    def _refused(self) -> Iterator[Departure]:
        """What raised an error although all that it takes is right."""
        mine = self.comparison.mine
        node = mine.raising(self.error) if self.error is not None else None
        sources = mine.latest(node) if node is not None else ()
        if node is not None and sources:
            yield Departure(node, sources[-1], sources, raised=True)

    def _at_the_error(self) -> list[int]:
        """The values that the line of the error used, in the end."""
        mine, line = self.comparison.mine, self.error.line if self.error is not None else None
        found: dict[int, int] = {}
        for place in mine.places:
            if line is not None and mine.line(place.node) == line:
                found[place.node] = place.value
        return list(dict.fromkeys(found.values()))


def follow(
    step: Step,
    rubric: Rubric,
    job: Job,
    evidence: Evidence,
    start: Start,
    settings: Settings,
) -> tuple[Trace | None, tuple[Followed, ...]]:
    """Where the program of ``job`` leaves the reference's path, and both programs on each trial."""
    names = trials.wrong(evidence, job.source, numbers=settings.numbers)
    if not names and settings.whole:
        names = [n for n, t in evidence.trials.items() if not t.part and t.expect][:1]
    if not names:
        return None, ()
    solution = step.solution.read_text(encoding="utf-8")
    solution = opened(solution, job.source, step.solution.parent)
    errors = [error for name in names if (error := evidence.error(name)) is not None]
    asked = replace(
        job,
        probes=tuple(evidence.until_wrong(one) for one in names),
        follow=True,
        raised=tuple((one.type_name, one.line) for one in errors),
        seconds=MOST_S,
    )
    mine, right = together(asked, solution, start)
    found = {}
    for trial in names:
        programs = (job.source, mine.get(trial)), (solution, right.get(trial))
        comparison = compared(*programs, evidence.trials[trial], trials.proven(evidence))
        if comparison is not None:
            found[trial] = comparison
    traces, followed = [], []
    for trial in _as_used(found, evidence):
        one = _followed(found[trial], evidence, trial, mine[trial])
        followed.append(one)
        traces.append(one.trace(Lesson(found[trial], regions(solution), rubric.values())))
    return _together([one for one in traces if one is not None]), tuple(followed)


def _followed(
    comparison: Comparison, evidence: Evidence, trial: str, mine: Observation
) -> Followed:
    if mine.error is not None and mine.error.line is not None:
        return Followed(comparison, mine.error)
    have = next(_wrong_results(evidence, trial, mine), None)
    result = None if have is None else comparison.mine.last(have)
    plain = have is not None and have.ndim == 0 and result is None
    return Followed(comparison, None, result, float(have) if have is not None and plain else None)


def _as_used(found: Mapping[str, Comparison], evidence: Evidence) -> Iterator[str]:
    """The trials, without that of a helper which the program itself gives something else.

    That is tensors of other ranks, or such as the reference has not. Either the helper has a
    contract of its own, about which the lesson's says nothing, or its caller is wrong as well.
    """
    whole = [one for name, one in found.items() if not evidence.trials[name].part]
    for name, comparison in found.items():
        helper = trials.called(evidence.trials[name])
        alone = _ranks(comparison.mine, _given(comparison.mine, helper))
        used = [(one, _given(one.mine, helper)) for one in whole]
        other = any(values and not alone & _ranks(one.mine, values) for one, values in used)
        wrong = any(not one.settled(value) for one, values in used for value in values)
        if not evidence.trials[name].part or not (other or wrong):
            yield name


def _given(run: Run, name: str) -> frozenset[int]:
    """The tensors that a program gives its function of this name."""
    function = functions(run.tree).get(name)
    return run.given(run.numbers[function]) if function is not None else frozenset()


def _ranks(run: Run, values: frozenset[int]) -> frozenset[int]:
    """How many axes these have."""
    return frozenset(array.ndim for one in values if (array := run.arrays[one]) is not None)


Ran = tuple[str, Observation | None]
"""A program's text, and what it did on a trial."""


def compared(
    mine: Ran, right: Ran, trial: Trial, proven: frozenset[str] = frozenset()
) -> Comparison | None:
    """Both programs on the inputs of one trial; None if one of them told no values.

    A trail that is not one of its program was forged, and tells none either.
    """
    ran = (Run(text, seen.trail) for text, seen in (mine, right) if seen and seen.trail)
    runs = [one for one in ran if one.fits]
    if len(runs) < 2:
        return None
    actions = trial.probe.actions
    plain = not any(_tensors(action) for action in actions)
    given = [array for a in actions if isinstance(a, Load) for array in a.weights.values()]
    return Comparison(runs[0], runs[1], given, _with_helpers(runs[0], proven), plain)


def _tensors(action: Action) -> bool:
    """Whether an action gives a program tensors or weights."""
    given = (*action.args, *action.kwargs.values()) if isinstance(action, Call | Make) else ()
    return isinstance(action, Load) or any(isinstance(a, TensorArg | ArrayArg) for a in given)


def _with_helpers(mine: Run, proven: frozenset[str]) -> frozenset[str]:
    """What is right alone, a function or a class, and the functions of the file that it calls."""
    own = functions(mine.tree)
    classes = [one for one in mine.tree.body if isinstance(one, ast.ClassDef)]
    found = set(proven)
    todo: list[ast.AST] = [one for one in classes if one.name in proven]
    todo += [own[name] for name in proven if name in own]
    while todo:
        called = {callee(one) for one in walked(todo.pop())} & own.keys()
        todo += [own[name] for name in called - found]
        found |= called
    return frozenset(found)


def _together(told: list[Trace]) -> Trace | None:
    """The margin of the last trial, with what the first tells that tells something."""
    if not told:
        return None
    first = next((one for one in told if one.line is not None), told[-1])
    return replace(first, margin=told[-1].margin)


def together(job: Job, solution: str, start: Start) -> tuple[Seen, Seen]:
    """What a program does and what the solution does, in one worker, within the job's time.

    That saves a tenth of a second, and has the learner's code in one process with the solution.
    """
    others = {f"{one.name} of the solution": one for one in job.probes}
    right = tuple(replace(one, name=name, source=solution) for name, one in others.items())
    with start(engine=job.engine) as running:
        both = replace(job, probes=(*job.probes, *right))
        seen = running.finish(both).observations
    mine = {name: one for name, one in seen.items() if name not in others}
    return mine, {others[name].name: one for name, one in seen.items() if name in others}


def _wrong_results(evidence: Evidence, trial: str, mine: Observation) -> Iterator[Array]:
    """The wrong results of a trial."""
    seen = replace(evidence, outcome=replace(evidence.outcome, observations={trial: mine}))
    for path, want in evidence.expected(trial).items():
        one = seen.seen(trial, path)
        if isinstance(one, SeenTensor | SeenArray) and not seen.close(trial, one.array, want):
            yield one.array
