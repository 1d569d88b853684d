"""Chooses the trials on which a failing program is followed beside the reference."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from grader.protocol.probe import (
    MOST_TURNS,
    Array,
    ArrayArg,
    Call,
    Make,
    SeenArray,
    SeenTensor,
    TensorArg,
)
from grader.rubric import Evidence, Trial
from grader.source.ast_cache import parsed, walked

ENORMOUS = 1e6
"""Beside numbers as large as this, others count for nothing. One as far below 0 only hides."""

MANY = 8
"""Fewer numbers than this in a result may be right by chance."""

LONG, MANY_ARRAYS = 512, 64
"""Numbers along one axis of an argument: there, every score of every token would be kept.

And arrays in one: a checkpoint of so many has more blocks than are looked at.
"""


def wrong(evidence: Evidence, source: str, *, numbers: bool = False) -> list[str]:
    """The first helper that is wrong alone, and the first trial of the whole that is wrong.

    Functions go before methods, which may call them, short texts before long ones, and a trial that
    raised an error before one that did not: the report quotes the error, with its sizes. Where it
    shows wrong ``numbers``, it is the other way round. Of those about one function that raised
    none, the simplest, whose result has a wrong shape if one has; of a program that ``loops``, one
    where it takes few turns. What is only wished for counts where nothing else is wrong.
    """
    loops = _loops(source)

    def rank(name: str) -> tuple[bool, ...]:
        trial, raised = evidence.trials[name], evidence.error(name) is not None
        return trial.wished, any(_makes(trial)), _is_long(trial), raised is numbers

    parts, others = _failing(evidence, sorted(evidence.trials, key=rank))
    others = _simplest(others, evidence)
    about = [(rank(name), called(evidence.trials[name])) for name in others]
    whole = [name for name, one in zip(others, about, strict=True) if one == about[0]]
    raised = any(evidence.error(name) is not None for name in whole[:1])
    if not raised:  # of a square, the numbers may be right the other way round
        whole.sort(key=lambda name: (_has_its_shape(evidence, name), *_telling(evidence, name)))
    if raised:
        quoted = _quoted(evidence)
        whole.sort(key=lambda name: _raises(evidence, name) != quoted)
    elif whole:  # then an error of a helper comes of calling it alone
        parts.sort(key=lambda name: (rank(name)[:-1], [*evidence.trials].index(name)))
    if loops and not raised:
        whole.sort(key=lambda name: _has_many(evidence.trials[name]))
    return parts[:1] + whole[:1]


def _failing(evidence: Evidence, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """The trials that are wrong, of helpers and of the whole; a wished one if nothing else is."""
    found: dict[bool, list[str]] = {True: [], False: []}
    for name in names:
        trial = evidence.trials[name]
        ran = name in evidence.outcome.observations
        error = evidence.error(name)
        absent = trial.part and error is not None and error.line is None
        if trial.expect is None or (trial.wished and any(found.values())):
            continue
        if ran and not absent and not evidence.right(name) and not _in_other_shape(evidence, name):
            found[trial.part].append(name)
    return found[True], found[False]


def _loops(source: str) -> bool:
    """Whether a program has a loop, of which only the first turns are seen."""
    turning = ast.For | ast.While | ast.comprehension
    return any(isinstance(one, turning) for one in walked(parsed(source)))


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


def _telling(evidence: Evidence, name: str) -> tuple[bool, bool, int, bool]:
    """What a trial hides, and its number of calls; the least is the one to follow.

    Equal or enormous numbers in one vector hide much, and an axis of length 1 hides which axis is
    meant. Of a result with few numbers, one is right by chance.
    """
    calls, given = _given_tensors(evidence.trials[name])
    rows = [array for array in given if array.ndim > 1 and array.shape[-1] > 1]
    size = max((array.size for array in evidence.expected(name).values()), default=0)
    equal = any((array == array[..., :1]).all() for array in rows)
    enormous = any(np.greater(array, ENORMOUS).any() for array in rows)
    tied = any(len(np.unique(array)) < array.size for array in _listed(evidence.trials[name]))
    thin = any(1 in array.shape for array in given)
    return equal or enormous or tied, thin, calls, not MANY <= size <= LONG


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


def proven(evidence: Evidence) -> frozenset[str]:
    """The helpers, and the classes, that are right alone.

    What is wrong behind them is in what they were given.
    """
    found: dict[str, bool] = {}
    for probe, trial in evidence.trials.items():
        name = called(trial)
        if name and trial.expect is not None and not trial.wished:
            found[name] = found.get(name, True) and evidence.right(probe)
    return frozenset(name for name, right in found.items() if right)


def called(trial: Trial) -> str:
    """The function, the helper or the class that a trial is about."""
    actions = trial.probe.actions
    call = actions[-1]
    if not isinstance(call, Call):
        return ""
    if call.method is not None or call.on is None:
        return call.method or ""
    return next((a.target for a in actions if isinstance(a, Make) and a.name == call.on), "")
