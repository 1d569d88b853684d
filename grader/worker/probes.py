"""Runs probes on the learner's module."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

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
from grader.worker.follow import Recorder
from grader.worker.watched import Watched

FINAL = (SystemExit, KeyboardInterrupt, MemoryError, RecursionError, observe.TooLarge)
"""Errors that a retry without staging would not change."""


@dataclass(frozen=True)
class Subject:
    """What the probes of a job run on: the learner's module, and how its arguments are made.

    ``patient``: what raises an error in one graph is run once more, operation by operation,
    unless an error at the same place, which is in ``raised``, came again when that was done.
    """

    module: ModuleType
    file: str
    runtime: Runtime
    arguments: Arguments
    recorder: Recorder | None = None
    patient: bool = True
    raised: set[errors.Place] = field(default_factory=set)


def run(probe: Probe, subject: Subject) -> Observation:
    """Run the actions in order; the first error ends the probe.

    With a recorder, with the trail of what it saw.
    """
    if subject.recorder is not None:
        subject.recorder.clear()
    bench = _Bench(subject)
    results: dict[str, Seen] = {}
    failed: SeenError | None = None
    left = list(probe.actions)
    while left:
        if together := bench.together(left):
            results |= together
            del left[: len(together)]
            continue
        action = left.pop(0)
        try:
            results[action.name] = bench.do(action)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is the answer
            failed = errors.see(error, action.name, subject.file)
            break
    trail = subject.recorder.trail() if subject.recorder is not None else None
    return Observation(probe.name, results, failed, trail)


def call_learner(target: Any, args: Any, kwargs: Any) -> Any:
    """What ``target`` returns. An error raised in this very function is about its arguments."""
    return target(*args, **kwargs)


class _Bench:
    """The learner's module, and what earlier actions made of it."""

    def __init__(self, subject: Subject) -> None:
        self._module = subject.module
        self._recorder = subject.recorder
        self._raised = subject.raised
        self._patient = subject.patient
        self._file = subject.file
        self._runtime = subject.runtime
        self._arguments = subject.arguments
        self._made: dict[str, Any] = {}
        self._loaded: dict[str, set[str]] = {}
        self._seen: dict[str, Seen] = {}
        self._given: tuple[Any, Any] = ((), {})
        self._eye = observe.Eye(subject.runtime)
        self._alone = False

    def do(self, action: language.Action) -> Seen:
        match action:
            case Make():
                seen = self._staged(
                    action, lambda: self._target(action.target), self._eye.see_module
                )
                self._compare(action, self._given)
                return seen
            case Call():
                how = self._staged if action.staged else self._direct
                seen = how(action, lambda: self._callee(action), self._eye.see)
                self._compare(action, self._given)
                self._seen[action.name] = seen
                return seen
            case Load():
                return self._load(action)
            case Read():
                return self._read(action)
            case Watch():
                self._made[action.name] = Watched(self._made[action.on], action.names)
                return None
            case Take():
                return self._take(action)

    def together(self, actions: Sequence[language.Action]) -> dict[str, Seen]:
        """The answers of the calls that come first, computed as one graph: a graph costs 1.5 ms.

        Empty if there are no two, or if something goes wrong: one at a time it shows what.
        """
        calls = self._independent(actions) if self._recorder is None else []
        graph = self._runtime.staged() if len(calls) > 1 else None
        if graph is None or self._alone:
            return {}
        values, given = [], []
        try:
            with graph:
                for call in calls:
                    values.append(self._call(self._callee(call), call))
                    given.append(self._given)
            seen = {c.name: self._eye.see(v) for c, v in zip(calls, values, strict=True)}
            for call, arguments in zip(calls, given, strict=True):
                self._compare(call, arguments)
        except BaseException:  # noqa: BLE001 - it is raised again
            self._alone = True
            return {}
        self._made |= {call.name: value for call, value in zip(calls, values, strict=True)}
        self._seen |= seen
        return seen

    @staticmethod
    def _independent(actions: Sequence[language.Action]) -> list[Call]:
        """The first actions, as far as they are calls and none needs what another returned."""
        found: list[Call] = []
        for action in actions:
            if not isinstance(action, Call) or not action.staged:
                break
            if {call.name for call in found} & _needed(action):
                break
            found.append(action)
        return found

    def _staged(
        self, action: Make | Call, find: Callable[[], Any], see: Callable[[Any], Seen]
    ) -> Seen:
        """The call's answer, computed as one graph; if that raises, operation by operation."""
        target = find()
        graph = self._runtime.staged()
        if graph is None:
            return self._direct(action, lambda: target, see)
        before = self._recorder.copied() if self._recorder is not None else None
        try:
            with graph:
                value = self._call(target, action)
            seen = see(value)
        except FINAL:
            raise
        except BaseException as error:  # reading numbers while staging, for example
            if not self._patient or self._known(error):
                raise
            if self._recorder is not None and before is not None:
                self._recorder.back_to(before)
            return self._again(error, lambda: self._direct(action, lambda: target, see))
        self._made[action.name] = value
        return seen

    def _known(self, error: BaseException) -> bool:
        """Whether such an error at that line was raised operation by operation too."""
        return errors.place(error, self._file) in self._raised

    def _again(self, error: BaseException, run: Callable[[], Seen]) -> Seen:
        """What ``run`` gives; if it raises the same error, later ones need not be run again."""
        try:
            return run()
        except BaseException as other:
            if errors.place(other, self._file) == errors.place(error, self._file):
                self._raised.add(errors.place(error, self._file))
            raise

    def _direct(
        self, action: Make | Call, find: Callable[[], Any], see: Callable[[Any], Seen]
    ) -> Seen:
        """The call's answer, computed operation by operation."""
        value = self._call(find(), action)
        seen = see(value)
        self._made[action.name] = value
        return seen

    def _call(self, target: Any, action: Make | Call) -> Any:
        args, kwargs = (
            self._arguments.build(given, self._made) for given in (action.args, action.kwargs)
        )
        self._given = tuple(args), dict(kwargs)
        return call_learner(target, args, kwargs)

    def _compare(self, action: Make | Call, given: tuple[Any, Any]) -> None:
        """Compare the arguments that a call was given with what they were.

        Raises:
            ChangedArgument: one of them is another now.
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

    def _callee(self, action: Call) -> Any:
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
            # A module may have kept tensors since its first load, such as masks: they stay.
            kept = names - self._loaded.setdefault(action.on, names)
            self._runtime.load_weights(target, weights, kept)
        except Exception as error:
            seen = self._eye.parameters(target)
            words = f"{errors.message(error)}\n{_mismatch(seen, weights)}"
            raise errors.deserved(type(error)(words)) from error
        return None

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
    """The earlier results that a call is given or made on."""
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
    """How a module's parameters differ from the weights it was given, by name and shape."""
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
