"""Follows a failing program beside the reference, and says where its numbers leave the path.

Both run once more on the inputs of the first trial that failed. What is said comes from the
learner's process: it explains, and never decides.

Longer than 300 lines, because the trial that is followed is chosen here, too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from grader import frameworks
from grader.base.blanks import regions
from grader.base.model import Step, Trace
from grader.grading.following.feeding import unbatched
from grader.grading.following.lesson import Lesson
from grader.grading.following.opened import opened
from grader.grading.following.plainly import Plainly
from grader.grading.following.raising import Raising
from grader.grading.following.relations import TooMuch
from grader.grading.following.retried import MANY
from grader.grading.following.run import Run
from grader.grading.following.telling import Teller
from grader.grading.following.trace import Comparison
from grader.grading.following.zero import zero_counts_as_false, zeros
from grader.grading.placing import ANOTHER_RUN
from grader.grading.reading.bindings import callee, functions
from grader.protocol.probe import (
    MOST_TURNS,
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
from grader.source.walked import parsed, walked

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

    ``said`` is what the checks say. ``numbers``: what they show is wrong numbers, and no error.
    """

    whole: bool = False
    said: str = ""
    numbers: bool = False


def follow(
    step: Step,
    rubric: Rubric,
    job: Job,
    evidence: Evidence,
    start: Start,
    settings: Settings,
    meanwhile: Iterator[object] | None = None,
) -> Trace | None:
    """Where the program of ``job`` leaves the reference's path; None where nothing can be said.

    ``meanwhile`` is done while both programs run.
    """
    trials = _wrong(evidence, loops=_loops(job.source), numbers=settings.numbers)
    trials += islice((name for name in evidence.trials if _hides_all(evidence, name)), 1)
    if not trials and settings.whole:
        trials = [n for n, t in evidence.trials.items() if not t.part and t.expect][:1]
    if not trials:
        return None
    solution = step.solution.read_text(encoding="utf-8")
    solution = opened(solution, job.source, step.solution.parent)
    errors = [error for name in trials if (error := evidence.error(name)) is not None]
    asked = replace(
        job,
        probes=tuple(evidence.until_wrong(one) for one in trials),
        follow=True,
        raised=tuple((one.type_name, one.line) for one in errors),
    )
    mine, right = together(replace(asked, seconds=MOST_S), solution, start, meanwhile)
    found = {}
    for trial in trials:
        programs = (job.source, mine.get(trial)), (solution, right.get(trial))
        comparison = compared(*programs, evidence.trials[trial], _proven(evidence))
        if comparison is not None:
            found[trial] = comparison
    told = []
    for trial in _as_used(found, evidence):
        lesson = Lesson(found[trial], regions(solution), rubric.values(), rubric.sentences())
        one = _told(Teller(lesson), evidence, trial, mine[trial])
        told.append(one and _of_its_run(one, mine[trial].error, settings.said, lesson))
    return _together([one for one in told if one is not None])


def _as_used(found: Mapping[str, Comparison], evidence: Evidence) -> Iterator[str]:
    """The trials, without that of a helper which the program itself gives something else.

    That is tensors of other ranks, or such as the reference has not. Either the helper has a
    contract of its own, about which the lesson's says nothing, or its caller is wrong as well.
    """
    whole = [one for name, one in found.items() if not evidence.trials[name].part]
    for name, comparison in found.items():
        helper = _called(evidence.trials[name])
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


NUMBER, SIZES = re.compile(r"\d+"), re.compile(r"\[\d+(, \d+)*\]")
"""A number of a message, and a shape."""

ENORMOUS = 1e6
"""Beside numbers as large as this, others count for nothing. One as far below 0 only hides."""

LONG, MANY_ARRAYS = 512, 64
"""Numbers along one axis of an argument: there, every score of every token would be kept.

And arrays in one: a checkpoint of so many has more blocks than are looked at.
"""

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


def _loops(source: str) -> bool:
    """Whether a program has a loop, of which only the first turns are seen."""
    turning = ast.For | ast.While | ast.comprehension
    return any(isinstance(one, turning) for one in walked(parsed(source)))


def _wrong(evidence: Evidence, *, loops: bool = False, numbers: bool = False) -> list[str]:
    """The first helper that is wrong alone, and the first trial of the whole that is wrong.

    Functions go before methods, which may call them, short texts before long ones, and a trial that
    raised an error before one that did not: the report quotes the error, with its sizes. Where it
    shows wrong ``numbers``, it is the other way round. Of those about one function that raised
    none, the simplest, whose result has a wrong shape if one has; of a program that ``loops``, one
    where it takes few turns. What is only wished for counts where nothing else is wrong.
    """

    def rank(name: str) -> tuple[bool, ...]:
        trial, raised = evidence.trials[name], evidence.error(name) is not None
        return trial.wished, any(_makes(trial)), _is_long(trial), raised is numbers

    found: dict[bool, list[str]] = {True: [], False: []}
    for name in sorted(evidence.trials, key=rank):
        trial = evidence.trials[name]
        ran = name in evidence.outcome.observations
        error = evidence.error(name)
        absent = trial.part and error is not None and error.line is None
        if trial.expect is None or (trial.wished and any(found.values())):
            continue
        if ran and not absent and not evidence.right(name) and not _in_other_shape(evidence, name):
            found[trial.part].append(name)
    found[False] = _simplest(found[False], evidence)
    whole = [
        name
        for name in found[False]
        if rank(name) == rank(found[False][0])
        and _called(evidence.trials[name]) == _called(evidence.trials[found[False][0]])
    ]
    raised = any(evidence.error(name) is not None for name in whole[:1])
    if not raised:  # of a square, the numbers may be right the other way round
        whole.sort(key=lambda name: (_has_its_shape(evidence, name), *_telling(evidence, name)))
    if raised:
        quoted = _quoted(evidence)
        whole.sort(key=lambda name: _raises(evidence, name) != quoted)
    elif whole:  # then an error of a helper comes of calling it alone
        found[True].sort(key=lambda name: (rank(name)[:-1], [*evidence.trials].index(name)))
    if loops and not raised:
        whole.sort(key=lambda name: bool(zeros(evidence.trials[name])))  # a 0 hides its use
        whole.sort(key=lambda name: _has_many(evidence.trials[name]))
    return found[True][:1] + whole[:1]


def _simplest(names: Sequence[str], evidence: Evidence) -> list[str]:
    """The trials without those that use more than another of them, which is wrong as well."""
    used = {name: _uses(evidence.trials[name]) for name in names}
    return [name for name in names if not any(one < used[name] for one in used.values())]


def _uses(trial: Trial) -> frozenset[str]:
    """The classes and functions of the program that a trial makes and calls by name."""
    actions = trial.probe.actions
    made = {one.target for one in actions if isinstance(one, Make)}
    called = {one.method for one in actions if isinstance(one, Call) and one.on is None}
    return frozenset(one for one in made | called if one)


def _quoted(evidence: Evidence) -> tuple[object, ...]:
    """The type and the line of the error that a report quotes: the first of the whole program's."""
    names = (name for name, trial in evidence.trials.items() if not trial.part)
    return next(filter(None, (_raises(evidence, name) for name in names)), ())


def _raises(evidence: Evidence, name: str) -> tuple[object, ...]:
    """The type and the line of the error that a trial ended with; empty if it did not."""
    error = evidence.error(name)
    return () if error is None else (error.type_name, error.line)


def _telling(evidence: Evidence, name: str) -> tuple[bool, int, bool]:
    """Whether a trial gives equal or enormous numbers in one vector, which hide much; its calls.

    And whether its result holds so few numbers that one is right by chance.
    """
    calls, given = _given_tensors(evidence.trials[name])
    rows = [array for array in given if array.ndim > 1 and array.shape[-1] > 1]
    size = max((array.size for array in evidence.expected(name).values()), default=0)
    equal = any((array == array[..., :1]).all() for array in rows)
    enormous = any(np.greater(array, ENORMOUS).any() for array in rows)
    tied = any(len(np.unique(array)) < array.size for array in _listed(evidence.trials[name]))
    return equal or enormous or tied, calls, not MANY <= size <= LONG


def _has_its_shape(evidence: Evidence, name: str) -> bool:
    """Whether every result of a trial has its shape: one that has not is told first."""
    seen = ((evidence.seen(name, path), want) for path, want in evidence.expected(name).items())
    return all(getattr(one, "array", want).shape == want.shape for one, want in seen)


def _has_many(trial: Trial) -> bool:
    """Whether a trial gives more texts than the turns that are seen of a loop."""
    _, given = _given_tensors(trial)
    return any(array.ndim > 2 and len(array) > MOST_TURNS for array in given)


def _given_tensors(trial: Trial) -> tuple[int, list[Array]]:
    """How often a trial calls, and the tensors that it gives by place."""
    calls = [action for action in trial.probe.actions if isinstance(action, Call)]
    arrays = [one.array for call in calls for one in call.args if isinstance(one, TensorArg)]
    return len(calls), arrays


def _listed(trial: Trial) -> Iterator[Array]:
    """The lists of numbers that a trial gives: of such as are equal, one is taken for another."""
    for action in trial.probe.actions:
        for one in action.args if isinstance(action, Call) else ():
            if isinstance(one, ArrayArg) and one.array.ndim == 1:
                yield one.array


def _in_other_shape(evidence: Evidence, name: str) -> bool:
    """Whether a helper gives the right numbers, in their order, in another shape of its own."""
    seen = [(evidence.seen(name, path), want) for path, want in evidence.expected(name).items()]
    return evidence.trials[name].part and all(
        isinstance(one, SeenTensor | SeenArray)
        and one.array.size == want.size
        and evidence.close(name, one.array.reshape(want.shape), want)
        for one, want in seen
    )


def _makes(trial: Trial) -> Iterator[bool]:
    return (isinstance(action, Make) for action in trial.probe.actions)


def _is_long(trial: Trial) -> bool:
    """Whether a trial gives so long a text, or so deep a checkpoint, that not all is kept."""
    calls = [action for action in trial.probe.actions if isinstance(action, Call)]
    given = [one for call in calls for one in (*call.args, *call.kwargs.values())]
    texts = (one.array for one in given if isinstance(one, TensorArg))
    checkpoints = (one for one in given if isinstance(one, Mapping))
    return any(max(text.shape, default=0) > LONG for text in texts) or any(
        len(one) > MANY_ARRAYS for one in checkpoints
    )


def _proven(evidence: Evidence) -> frozenset[str]:
    """The helpers, and the classes, that are right alone.

    What is wrong behind them is in what they were given.
    """
    found: dict[str, bool] = {}
    for name, trial in evidence.trials.items():
        called = _called(trial)
        if called and trial.expect is not None and not trial.wished:
            found[called] = found.get(called, True) and evidence.right(name)
    return frozenset(name for name, right in found.items() if right)


def _called(trial: Trial) -> str:
    """The function, the helper or the class that a trial is about."""
    actions = trial.probe.actions
    call = actions[-1]
    if not isinstance(call, Call):
        return ""
    if call.method is not None or call.on is None:
        return call.method or ""
    return next((a.target for a in actions if isinstance(a, Make) and a.name == call.on), "")


def _hides_all(evidence: Evidence, trial: str) -> bool:
    """Whether a right result has a row of nothing but minus infinity, and nothing given has any.

    It counts as equal to one of the lowest number, which hides the same.
    """
    given = evidence.inputs(trial)
    if not evidence.right(trial) or any((one == -np.inf).any() for one in given):
        return False
    seen = (evidence.seen(trial, path) for path in evidence.expected(trial))
    arrays = [
        one.array for one in seen if isinstance(one, SeenTensor | SeenArray) and one.array.ndim
    ]
    return any((one == -np.inf).all(axis=-1).any() for one in arrays)


def _told(teller: Teller, evidence: Evidence, trial: str, mine: Observation) -> Trace | None:
    if _hides_all(evidence, trial):
        return None
    if (zero := zero_counts_as_false(evidence, trial, teller.comparison.mine)) is not None:
        return teller.slipped(zero)
    if (flat := unbatched(teller.comparison)) is not None:
        return teller.slipped(flat)
    try:
        if mine.error is not None and mine.error.line is not None:
            return Raising(teller).told(mine.error)
        result, wanted = wrong_result(evidence, trial, mine, teller.comparison)
        number = None if result is not None else _wrong_number(evidence, trial, mine)
        if number is not None:
            return Plainly(teller).number(number)
        if result is None:
            return Plainly(teller).text()
        return teller.departed(result, wanted)
    except TooMuch:
        return None


def _of_its_run(trace: Trace, error: SeenError | None, said: str, lesson: Lesson) -> Trace:
    """The trace, with what the program has of the lesson.

    Of an error, if the checks say the same error with other sizes, it tells so.
    """
    trace = replace(trace, has=lesson.present())
    own = "" if error is None else frameworks.current().translate(error).message
    sized = [at for at, one in enumerate(trace.told) if SIZES.search(one)]
    alike = NUMBER.sub("0", own) in NUMBER.sub("0", said)
    if not sized or not NUMBER.search(own) or own in said or not alike:
        return trace
    told = list(trace.told)
    told.insert(sized[-1] + 1, ANOTHER_RUN)
    return replace(trace, told=tuple(told))


def _wrong_number(evidence: Evidence, trial: str, mine: Observation) -> float | None:
    """The first wrong result of the trial if it is a plain number."""
    found = next(_wrong_results(evidence, trial, mine), None)
    return float(found[0]) if found is not None and found[0].ndim == 0 else None


def together(
    job: Job, solution: str, start: Start, meanwhile: Iterator[object] | None = None
) -> tuple[Seen, Seen]:
    """What a program does and what the solution does, in one worker, within the job's time.

    That saves a tenth of a second, and has the learner's code in one process with the solution.
    """
    others = {f"{one.name} of the solution": one for one in job.probes}
    right = tuple(replace(one, name=name, source=solution) for name, one in others.items())
    with start(engine=job.engine) as running:
        both = replace(job, probes=(*job.probes, *right))
        seen = running.finish(both, meanwhile=meanwhile).observations
    mine = {name: one for name, one in seen.items() if name not in others}
    return mine, {others[name].name: one for name, one in seen.items() if name in others}


def wrong_result(
    evidence: Evidence, trial: str, mine: Observation, comparison: Comparison
) -> tuple[int | None, int | None]:
    """The first wrong result of the trial among the learner's values, and the right one."""
    for have, want in _wrong_results(evidence, trial, mine):
        return comparison.mine.last(have), comparison.right.holds(want)
    return None, None


def _wrong_results(
    evidence: Evidence, trial: str, mine: Observation
) -> Iterator[tuple[Array, Array]]:
    """The wrong results of a trial, each with what is expected."""
    seen = replace(evidence, outcome=replace(evidence.outcome, observations={trial: mine}))
    for path, want in evidence.expected(trial).items():
        one = seen.seen(trial, path)
        if isinstance(one, SeenTensor | SeenArray) and not seen.close(trial, one.array, want):
            yield one.array, want
