"""Runs probes on the learner's module."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from enum import Enum
from types import ModuleType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from grader.frameworks import Runtime
from grader.protocol import probe as language
from grader.protocol.probe import (
    Call,
    Load,
    Make,
    Observation,
    Probe,
    Read,
    Seen,
    SeenError,
    Take,
    Watch,
)
from grader.worker import errors, observe
from grader.worker.arguments import Arguments
from grader.worker.instrumentation import Recorder
from grader.worker.spy import Spy


class How(Enum):
    """How the calls of a probe are computed."""

    TOGETHER = "calls that need nothing of each other as one graph: a graph costs 1.5 ms"
    ALONE = "each as a graph of its own"
    DIRECT = "operation by operation, as if there were no grader"


LARGE = (MemoryError, RecursionError, observe.TooLarge)


@dataclass(frozen=True)
class Subject:
    """What the probes of a job run on: the learner's module, and how its arguments are made.

    ``patient``: a probe that raises an error while calls are staged runs again operation by
    operation, unless an earlier error at that place, recorded in ``raised``, occurred again then.
    ``reads`` has the places that read numbers, which staging does not allow. ``brief``: nothing is
    recorded of new objects, and of an error only its message and place.
    """

    module: ModuleType
    file: str
    runtime: Runtime
    arguments: Arguments
    recorder: Recorder | None = None
    patient: bool = True
    brief: bool = False
    raised: set[errors.Place] = field(default_factory=set)
    reads: set[errors.Place] = field(default_factory=set)


def run(probe: Probe, subject: Subject) -> Observation:
    """Run the actions in order; the first error ends the probe.

    It runs on new objects for each :class:`How`. If an error occurs only when calls are staged
    together, and neither with a graph each nor without any, the program counts its calls, and the
    error is the answer. With a recorder, the answer includes the recorder's trail.
    """
    how = How.TOGETHER if subject.recorder is None else How.ALONE
    first, raised = _attempt(probe, subject, how)
    if raised is None or raised.ends or subject.runtime.staged() is None:
        return first
    if not raised.grouped:
        return _checked(probe, subject, first, raised)
    if raised.place in subject.reads:
        return _attempt(probe, subject, How.DIRECT)[0]
    alone, again = _attempt(probe, subject, How.ALONE)
    if again is not None:
        return _checked(probe, subject, alone, again, alone=True)
    if raised.large:
        return alone
    if not _is_sure(raised, subject):
        direct, other = _attempt(probe, subject, How.DIRECT)
        if other is not None:
            return direct
    return _until(first, alone)


def _is_sure(raised: _Raised, subject: Subject) -> bool:
    """Whether the same error is known to occur without staging."""
    known = raised.place in subject.raised
    return not subject.patient or known or raised.large or raised.unstaged


def _checked(
    probe: Probe, subject: Subject, first: Observation, raised: _Raised, *, alone: bool = False
) -> Observation:
    """Observe what happens if the call that raised an error is not staged.

    ``alone``: ``first`` was observed with a graph for each call.
    """
    if _is_sure(raised, subject):
        return first
    direct, other = _attempt(probe, subject, How.DIRECT, since=raised.action)
    if other is not None:
        if other.place == raised.place:
            subject.raised.add(raised.place)
        return direct
    if not alone and raised.place not in subject.reads:
        second, other = _attempt(probe, subject, How.ALONE)
        if other is None:
            return _until(first, second)
    subject.reads.add(raised.place)
    return direct


def _until(failed: Observation, whole: Observation) -> Observation:
    """Return ``failed`` with the answers of ``whole`` to what came before its error.

    ``failed`` lacks the answers of calls that shared a graph with the failing one.
    """
    names = list(whole.results)
    before = names[: names.index(failed.error.action)] if failed.error is not None else names
    return replace(failed, results={name: whole.results[name] for name in before})


class _Raised(NamedTuple):
    """What is known of an error; the error itself may hold much memory."""

    place: errors.Place
    ends: bool
    """Whether it ends the probe at once, as an exit and an interruption do."""
    large: bool
    """Whether only a smaller graph may avoid it."""
    grouped: bool
    """Whether the graph contained other calls too."""
    unstaged: bool
    """Whether the same error would have occurred without staging."""
    action: str
    """The action that ran."""


def _attempt(
    probe: Probe, subject: Subject, how: How, since: str | None = None
) -> tuple[Observation, _Raised | None]:
    """Return what was observed, and the error that ended it.

    Before the action ``since``, each call has a graph of its own.
    """
    if subject.recorder is not None:
        subject.recorder.clear()
    bench = _Bench(subject, how if since is None else How.ALONE)
    results: dict[str, Seen] = {}
    failed: SeenError | None = None
    raised: _Raised | None = None
    left = list(probe.actions)
    while left and failed is None:
        if left[0].name == since:
            bench.how = how
        some = bench.together(left)
        del left[: len(some)]
        try:
            results |= bench.do(some)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is the answer
            failed = errors.see(error, _Bench.doing, subject.file, brief=subject.brief)
            kind, at = type(error), errors.place(error, subject.file)
            raised = _Raised(
                at,
                ends=not issubclass(kind, Exception),
                large=issubclass(kind, LARGE),
                grouped=len(some) > 1,
                unstaged=subject.runtime.unstaged(errors.path(error)),
                action=_Bench.doing,
            )
    if failed is not None and raised is not None and raised.ends:
        # None of the calls in one graph was answered, whichever of them ended the program.
        failed = replace(failed, action=probe.actions[len(results)].name)
    trail = subject.recorder.trail() if subject.recorder is not None else None
    return Observation(probe.name, results, failed, trail), raised


def call_learner(target: Any, args: Any, kwargs: Any) -> Any:
    """Call ``target``. An error raised in this very function is about the arguments."""
    return target(*args, **kwargs)


def doing() -> str:
    """Return the action that is running or ran last; empty before the first."""
    return _Bench.doing


class _Bench:
    """The learner's module, and the results of earlier actions."""

    doing: ClassVar = ""
    """The action that is running or ran last."""

    def __init__(self, subject: Subject, how: How) -> None:
        _Bench.doing = ""
        self.how = how
        self._module = subject.module
        self._file = subject.file
        self._brief = subject.brief
        self._runtime = subject.runtime
        self._arguments = subject.arguments
        self._made: dict[str, Any] = {}
        self._loaded: dict[str, set[str]] = {}
        self._seen: dict[str, Seen] = {}
        self._given: tuple[Any, Any] = ((), {})
        self._eye = observe.Eye(subject.runtime)

    def together(self, actions: Sequence[language.Action]) -> list[language.Action]:
        """Return the first actions that run together: one, or several calls in one graph.

        None of these needs another's result.
        """
        found: list[language.Action] = []
        names: set[str] = set()
        for action in actions if self.how is How.TOGETHER else ():
            if not isinstance(action, Call) or not action.staged or names & _needed(action):
                break
            found.append(action)
            names.add(action.name)
        return found or [*actions[:1]]

    def do(self, actions: Sequence[language.Action]) -> dict[str, Seen]:
        """Run the actions from :meth:`together`, and return their answers."""
        calls = [one for one in actions if isinstance(one, Make | Call)]
        if calls:
            return self._answers(calls)
        (action,) = actions
        _Bench.doing = action.name
        return {action.name: self._other(action)}

    def _answers(self, calls: Sequence[Make | Call]) -> dict[str, Seen]:
        """Return the results of the calls, read once all of them are computed."""
        values, given = [], []
        with self._graph(calls):
            for call in calls:
                _Bench.doing = call.name
                values.append(self._call(self._callee(call), call))
                given.append(self._given)
        seen = {}
        for call, value, arguments in zip(calls, values, given, strict=True):
            _Bench.doing = call.name
            seen[call.name] = self._see(call, value)
            self._compare(call, arguments)
            self._made[call.name] = value
        self._seen |= {call.name: seen[call.name] for call in calls if isinstance(call, Call)}
        return seen

    def _see(self, call: Make | Call, value: Any) -> Seen:
        if isinstance(call, Call):
            return self._eye.see(value)
        return None if self._brief else self._eye.see_module(value)

    def _graph(self, calls: Sequence[Make | Call]) -> AbstractContextManager[object]:
        """Return the context that stages the calls, or in which operations wait."""
        if any(isinstance(call, Call) and not call.staged for call in calls):
            return self._waiting()
        graph = None if self.how is How.DIRECT else self._runtime.staged()
        return graph or nullcontext()

    def _waiting(self) -> AbstractContextManager[object]:
        graph = None if self.how is How.DIRECT else self._runtime.waiting()
        return graph or nullcontext()

    def _other(self, action: language.Action) -> Seen:
        match action:
            case Load():
                return self._load(action)
            case Read():
                return self._read(action)
            case Watch():
                self._made[action.name] = Spy(self._made[action.on], action.names)
                return None
            case Take():
                with self._waiting():
                    return self._take(action)
            case _:
                raise TypeError(action)

    def _call(self, target: Any, action: Make | Call) -> Any:
        args, kwargs = (
            self._arguments.build(given, self._made) for given in (action.args, action.kwargs)
        )
        self._given = tuple(args), dict(kwargs)
        return call_learner(target, args, kwargs)

    def _compare(self, action: Make | Call, given: tuple[Any, Any]) -> None:
        """Compare the arguments of a call with their original values.

        Raises:
            ChangedArgument: one of them has changed.
        """
        eye = observe.Eye(self._runtime)
        pairs = {
            **{
                str(index + 1): pair
                for index, pair in enumerate(zip(action.args, given[0], strict=True))
            },
            **{key: (one, given[1][key]) for key, one in action.kwargs.items()},
        }
        for name, (sent, built) in pairs.items():
            if not self._arguments.unchanged(sent, built, self._seen, eye):
                called = action.target if isinstance(action, Make) else action.method
                what = called or "The forward pass"
                raise errors.ChangedArgument(f"{what} changed its argument {name}")

    def _target(self, name: str) -> Any:
        try:
            return self._module.__dict__[name]
        except KeyError:
            raise errors.MissingName(f"{name} is not defined in {self._file}") from None

    def _callee(self, action: Make | Call) -> Any:
        if isinstance(action, Make):
            return self._target(action.target)
        if action.on is None:
            return self._target(action.method or "")
        target = self._made[action.on]
        if action.method is None:
            return target
        if not hasattr(type(target), action.method):
            kind = errors.type_name(target)
            raise errors.MissingName(f"{kind} has no method {action.method}")
        return getattr(target, action.method)

    def _load(self, action: Load) -> Seen:
        target = self._made[action.on]
        if not self._runtime.is_module(target):
            kind = self._runtime.framework.module
            words = f"{errors.type_name(target)} is not {kind}: it has no parameters"
            raise errors.deserved(TypeError(words))
        weights = {
            name: language.multiples(array, action.steps[name])
            if name in action.steps
            else np.array(array, order="C")
            for name, array in action.weights.items()
        }
        try:
            names = {name for name, _ in self._runtime.parameters(target)}
            # Tensors that a module has stored since its first load, such as masks, stay.
            kept = names - self._loaded.setdefault(action.on, names)
            self._runtime.load_weights(target, weights, kept)
        except Exception as error:
            seen = self._eye.parameters(target)
            words = f"{errors.message(error)}\n{_mismatch(seen, weights)}"
            raise errors.deserved(type(error)(words)) from error
        names_kept: list[Seen] = [*sorted(kept)]
        return names_kept or None

    def _take(self, action: Take) -> Seen:
        rest = self._made[action.on] = iter(self._made[action.on])
        return self._eye.see(list(itertools.islice(rest, action.count)))

    def _read(self, action: Read) -> Seen:
        target = self._made[action.on]
        seen: dict[str, Seen] = {}
        for name in action.attributes:
            try:
                value = getattr(target, name)
            except AttributeError:
                continue
            seen[name] = self._eye.see(value)
        return seen


def _needed(call: Call) -> set[str]:
    """Return the earlier results that a call takes as arguments or as its object."""
    found, left = {call.on or ""}, [call.args, call.kwargs]
    while left:
        match left.pop():
            case language.Ref(name):
                found.add(name)
            case list() | tuple() as several:
                left += several
            case dict() as named:
                left += named.values()
    return found


def _mismatch(seen: dict[str, language.SeenParameter], weights: dict[str, Any]) -> str:
    """Say how a module's parameters differ from the given weights, by name and shape."""
    told = []
    for name, array in weights.items():
        if name not in seen:
            told.append(f"missing in your module: {name} {list(array.shape)}")
        elif seen[name].shape != array.shape:
            told.append(f"{name} is {list(seen[name].shape)}, expected {list(array.shape)}")
        elif seen[name].dtype != array.dtype.name:
            told.append(f"{name} is {seen[name].dtype}, expected {array.dtype.name}")
    for name, parameter in seen.items():
        if name not in weights:
            told.append(f"not expected in your module: {name} {list(parameter.shape)}")
    return "; ".join(told)
