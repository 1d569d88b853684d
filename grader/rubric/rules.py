"""The rules that run-time checks are made of: each asks the evidence one question.

A rule takes names of trials; a trailing ``*`` names every trial that starts so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from grader.frameworks import Framework
from grader.protocol.probe import (
    Call,
    ConfigArg,
    Load,
    Make,
    Seen,
    SeenArray,
    SeenModule,
    SeenObject,
    SeenTensor,
)
from grader.rubric.checks import Failed, NotRun, Passed, Rule, Ruling
from grader.rubric.compare import difference
from grader.rubric.evidence import Evidence, State

_A = TypeVar("_A", Make, Load, Call)

ENDINGS = {
    "timeout": "did not finish in time",
    "memory": "asked for more memory than there is for it",
    "exit": "ended the whole process",
    "garbled": "wrote into the channel that carries the results",
}


def all_of(*rules: Rule) -> Rule:
    """Every rule holds; the first that fails speaks for the check."""

    def rule(evidence: Evidence) -> Ruling:
        notes: list[str] = []
        waiting: NotRun | None = None
        for one in rules:
            match one(evidence):
                case Failed() as failed:
                    return failed
                case NotRun() as not_run:
                    waiting = waiting or not_run
                case Passed(str() as note):
                    notes.append(note)
        return waiting or Passed(" ".join(notes) or None)

    return rule


def obstacle(evidence: Evidence, trial: str, action: str) -> Ruling | None:
    """Why ``action`` gave no result to look at; None where it gave one."""
    state = evidence.state(trial, action)
    if state is State.SEEN:
        return None
    if state is State.FAILED:
        error = evidence.error(trial)
        if error is not None:
            told = evidence.framework.translate(error)
            return Failed(told.message, told.hint, error.line, error.chain)
    if state is State.UNDER_WAY:
        how = ENDINGS.get(evidence.outcome.ended, "stopped without an answer")
        return Failed(
            f"Your code {how}", _ending_hint(evidence.outcome.ended), evidence.outcome.line
        )
    return NotRun()


def _ending_hint(ended: str) -> str | None:
    return {
        "timeout": "Look for a loop that never ends, and for work that grows with the input.",
        "memory": "Look for a list or tensor that grows in a loop, or a shape far too large.",
        "exit": "Remove calls like exit(), sys.exit() and os._exit(): return a value instead.",
        "garbled": "Do not write to file descriptors that your code did not open.",
    }.get(ended)


def imports() -> Rule:
    """The learner's file can be imported."""

    def rule(evidence: Evidence) -> Ruling:
        error = evidence.outcome.load_error
        if error is not None:
            told = evidence.framework.translate(error)
            return Failed(told.message, told.hint, error.line, error.chain)
        if evidence.outcome.ended != "done" and not (
            evidence.outcome.observations or evidence.outcome.probe
        ):
            how = ENDINGS.get(evidence.outcome.ended, "stopped without an answer")
            return Failed(
                f"While it was imported, your file {how}", _ending_hint(evidence.outcome.ended)
            )
        return Passed()

    return rule


def builds(*trials: str, module: bool = True) -> Rule:
    """What each trial makes can be made, and is one of the framework's modules if ``module``."""

    def rule(evidence: Evidence) -> Ruling:
        for name, make in _actions(evidence, trials, Make):
            if stop := obstacle(evidence, name, make.name):
                return stop
            seen = evidence.seen(name, make.name)
            if module and not (isinstance(seen, SeenModule) and seen.is_module):
                return Failed(
                    f"{make.target} is not {evidence.framework.module}",
                    evidence.framework.hint("no module", cls=make.target),
                )
        return Passed()

    return all_of(imports(), rule)


def has_layer(trials: tuple[str, ...], attribute: str, *, on: str = "module") -> Rule:
    """``attribute`` is a ``Linear`` whose parameters have the shapes of the given weights."""

    def rule(evidence: Evidence) -> Ruling:
        for name in evidence.matching(*trials):
            if stop := obstacle(evidence, name, on):
                return stop if isinstance(stop, NotRun) else NotRun()
            seen = evidence.seen(name, on)
            if not isinstance(seen, SeenModule):
                return NotRun()
            kind = seen.attributes.get(attribute)
            if kind in (None, "NoneType"):
                return Failed(f"self.{attribute} is {'missing' if kind is None else 'None'}")
            if problem := _parameter_problem(evidence, name, seen, f"{attribute}."):
                return problem
        return Passed()

    return rule


def loads(*trials: str, on: str = "module") -> Rule:
    """The parameters are exactly those of the given weights, and they load."""

    def rule(evidence: Evidence) -> Ruling:
        for name, load in _actions(evidence, trials, Load):
            seen = evidence.seen(name, load.on)
            if isinstance(seen, SeenModule) and (
                problem := _parameter_problem(evidence, name, seen, "")
            ):
                return problem
            if stop := obstacle(evidence, name, load.name):
                return stop
        return Passed()

    return rule


def _parameter_problem(
    evidence: Evidence, trial: str, module: SeenModule, prefix: str
) -> Failed | None:
    """The first difference between a module's parameters and the weights it will be given."""
    want = {k: tuple(v.shape) for k, v in evidence.weights(trial).items() if k.startswith(prefix)}
    have = {k: v for k, v in module.parameters.items() if k.startswith(prefix)}
    for key, shape in want.items():
        if key not in have:
            return _missing(key, module, evidence.framework)
        if have[key].shape != shape:
            turned = len(shape) == 2 and have[key].shape == shape[::-1]
            return Failed(
                f"The parameter {key} has shape {list(have[key].shape)}, expected {list(shape)}"
                + _options(evidence, trial),
                evidence.framework.hint("turned") if turned else None,
            )
    for key in have:
        if key not in want:
            return _too_many(key, want, _options(evidence, trial), evidence.framework)
    return None


def _missing(key: str, seen: SeenModule, framework: Framework) -> Failed:
    """A parameter that the weights have and the module has not."""
    kind = seen.attributes.get(key, framework.tensor_type)
    if kind != framework.tensor_type:
        told = "None" if kind == "NoneType" else f"of type {kind}"
        return Failed(
            f"The parameter {key} is missing: self.{key} is {told}", framework.hint("no parameter")
        )
    hint = framework.hint("bias missing") if key.endswith(".bias") else None
    return Failed(f"The parameter {key} is missing", hint)


def _too_many(key: str, want: Mapping[str, object], options: str, framework: Framework) -> Failed:
    """A parameter that the module has and the weights have not."""
    message = f"There is a parameter too many{options}: {key}"
    owner, _, last = key.rpartition(".")
    if owner and last == "bias" and f"{owner}.weight" in want:
        return Failed(
            message, framework.hint("bias too many", owner=owner), concept="bias-too-many"
        )
    if owner and last in ("weight", "bias"):
        return Failed(
            message,
            f"self.{owner} is a layer for which there are no weights: is it needed, and called so?",
            concept="layer-too-many",
        )
    return Failed(
        message,
        "Every tensor kept on self becomes a parameter that weights must be loaded for. "
        "Make tensors like a mask inside the method that uses them.",
        concept="tensor-on-self",
    )


def _options(evidence: Evidence, trial: str) -> str:
    """The options with which the trial's object was made, as a clause."""
    made = next(a for a in evidence.trials[trial].probe.actions if isinstance(a, Make))
    given = dict(made.kwargs)
    for arg in made.args:
        given |= arg.fields if isinstance(arg, ConfigArg) else {}
    plain = {k: v for k, v in given.items() if isinstance(v, bool | int | float | str)}
    return f" with {', '.join(f'{k}={v}' for k, v in plain.items())}" if plain else ""


def attribute_is(trial: str, attribute: str, value: object, *, action: str = "attributes") -> Rule:
    """The attribute that was read has this value.

    Where every forward pass is right, a program that does without the attribute is right too.
    """

    def rule(evidence: Evidence) -> Ruling:
        if obstacle(evidence, trial, action):
            return NotRun()
        seen = evidence.seen(trial, action)
        have = seen.get(attribute) if isinstance(seen, dict) else None
        if have is None and evidence.whole_right():
            return Passed(f"Your code does without self.{attribute}.")
        if isinstance(have, bool) or not isinstance(have, int | float) or have != value:
            shown = have.type_name if isinstance(have, SeenObject) else have
            return Failed(f"self.{attribute} is {shown!r}, expected {value!r}")
        return Passed()

    return rule


def runs(*trials: str) -> Rule:
    """Every call gives an answer."""

    def rule(evidence: Evidence) -> Ruling:
        for name, call in _actions(evidence, trials, Call):
            if stop := obstacle(evidence, name, call.name):
                return stop
        return Passed()

    return rule


def tensors(*trials: str, dtype: str = "float32") -> Rule:
    """Every expected result is a tensor of the framework, of this dtype."""

    def rule(evidence: Evidence) -> Ruling:
        for name, path in _expected(evidence, trials):
            if stop := obstacle(evidence, name, path.split(".")[0]):
                return stop if isinstance(stop, NotRun) else NotRun()
            seen = evidence.seen(name, path)
            what = _called(evidence, name, path)
            if not isinstance(seen, SeenTensor):
                return Failed(
                    f"{what} returned {_describe(seen)}, expected {evidence.framework.tensor}",
                    _tensor_hint(seen, evidence.framework),
                )
            if seen.dtype != dtype:
                return Failed(f"{what} returned dtype {seen.dtype}, expected {dtype}")
        return Passed()

    return rule


def _tensor_hint(seen: Seen, framework: Framework) -> str | None:
    """What to do about a result that is no tensor."""
    match seen:
        case None:
            return "Does every path of the function end in a return?"
        case SeenArray():
            return framework.hint("array returned")
        case tuple() | list():
            return "Return the tensor by itself. A comma behind it makes a tuple."
    return None


def shapes(*trials: str) -> Rule:
    """Every result has the shape that the oracle's has."""

    def rule(evidence: Evidence) -> Ruling:
        for name, path in _expected(evidence, trials):
            array = _array(evidence, name, path)
            if array is None:
                return _no_numbers(evidence, name, path)
            want = evidence.expected(name)[path].shape
            if array.shape != want:
                return Failed(
                    f"{_called(evidence, name, path)} returned shape {array.shape}, expected {want}"
                )
        return Passed()

    return rule


def numbers(*trials: str, what: str = "numbers") -> Rule:
    """Every result equals the float64 oracle's."""

    def rule(evidence: Evidence) -> Ruling:
        wrong: list[tuple[str, str]] = []
        total, first = 0, None
        for name in evidence.matching(*trials):
            expected = evidence.expected(name)
            if not expected:
                continue
            arrays = {path: _array(evidence, name, path) for path in expected}
            for path, array in arrays.items():
                if array is None:
                    return _no_numbers(evidence, name, path)
            total += 1
            bad = [
                p
                for p, a in arrays.items()
                if a is not None and not evidence.close(name, a, expected[p])
            ]
            wrong += [(name, path) for path in bad]
            if bad and first is None:
                first = _difference(evidence, name, bad[0], expected[bad[0]])
        if wrong:
            count = len({name for name, _ in wrong})
            several = "" if total == 1 else f" in {count} of {total} random configurations"
            return Failed(f"The {what} are wrong{several}", detail=first, wrong=tuple(wrong))
        return Passed()

    return rule


def numbers_or(*trials: str, other: dict[str, object], note: str) -> Rule:
    """The numbers are right, or all those of another reading that is accepted with a note."""

    def rule(evidence: Evidence) -> Ruling:
        ruling = numbers(*trials)(evidence)
        if not isinstance(ruling, Failed):
            return ruling
        for name, path in _expected(evidence, trials):
            array, expect = _array(evidence, name, path), evidence.trials[name].expect
            if array is None or expect is None:
                return ruling
            if not evidence.close(name, array, expect(**other)[path]):
                return ruling
        return Passed(note)

    return rule


def wish(trial: str, note: str) -> Rule:
    """Always holds; ``note`` is added where ``trial`` is not right."""

    def rule(evidence: Evidence) -> Ruling:
        return Passed(None if evidence.right(trial) else note)

    return rule


KEPT = (
    "Something is kept between calls, or it is random. Compute everything from the arguments, "
    "and keep nothing on self."
)


def repeats(trial: str, first: str, again: str) -> Rule:
    """Two calls with the same input give the same numbers."""

    def rule(evidence: Evidence) -> Ruling:
        before, after = _array(evidence, trial, first), _array(evidence, trial, again)
        stop = obstacle(evidence, trial, again)
        if before is not None and isinstance(stop, Failed):
            told = f"The same input gave an error on the second call: {stop.message}"
            return replace(stop, message=told, hint=KEPT, concept="state-kept")
        if before is None or after is None:
            return NotRun()
        if before.shape != after.shape or not evidence.close(
            trial, after, before.astype(np.float64)
        ):
            return Failed(
                "The same input gave another output on the second call",
                KEPT,
                concept="state-kept",
                wrong=((trial, again),),
            )
        return Passed()

    return rule


def unaffected(trial: str, base: str, changed: str, *, before: int) -> Rule:
    """The outputs at positions below ``before`` do not see a change of later tokens.

    Outputs are ``[batch, seq, …]``.
    """

    def rule(evidence: Evidence) -> Ruling:
        old, new = _array(evidence, trial, base), _array(evidence, trial, changed)
        if old is None or new is None or old.shape != new.shape or old.ndim < 2:
            return NotRun()
        if not evidence.close(trial, new[:, :before], old[:, :before].astype(np.float64)):
            return Failed(
                "A change in a later token changes an earlier output: tokens see the future",
                "Add the causal mask to the scores before the softmax.",
                wrong=((trial, base), (trial, changed)),
            )
        return Passed()

    return rule


def note(text: str, *trials: str) -> Rule:
    """Adds ``text`` to a check that passed; ``{count}`` is the number of expected results."""

    def rule(evidence: Evidence) -> Ruling:
        return Passed(text.format(count=sum(1 for _ in _expected(evidence, trials))))

    return rule


def _actions(
    evidence: Evidence, trials: tuple[str, ...], kind: type[_A]
) -> Iterator[tuple[str, _A]]:
    for name in evidence.matching(*trials):
        for action in evidence.trials[name].probe.actions:
            if isinstance(action, kind):
                yield name, action


def _expected(evidence: Evidence, trials: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for name in evidence.matching(*trials):
        for path in evidence.expected(name):
            yield name, path


def _array(evidence: Evidence, trial: str, path: str) -> npt.NDArray[np.generic] | None:
    seen = evidence.seen(trial, path)
    return seen.array if isinstance(seen, SeenTensor | SeenArray) else None


def _no_numbers(evidence: Evidence, trial: str, path: str) -> Ruling:
    """What to say where there are no numbers to compare: another check tells an error."""
    if obstacle(evidence, trial, path.split(".", maxsplit=1)[0]) is not None:
        return NotRun()
    seen, want = evidence.seen(trial, path), evidence.expected(trial)[path]
    expected = "a number" if want.ndim == 0 else f"numbers of shape {want.shape}"
    return Failed(
        f"{_called(evidence, trial, path)} returned {_describe(seen)}, expected {expected}",
        "Does every path of the function end in a return?" if seen is None else None,
    )


def _called(evidence: Evidence, trial: str, path: str) -> str:
    """The learner's name for what gave the result at ``path``."""
    for action in evidence.trials[trial].probe.actions:
        if isinstance(action, Call) and action.name == path.split(".", maxsplit=1)[0]:
            return action.method or "The forward pass"
    return path


def _difference(
    evidence: Evidence, trial: str, path: str, expected: npt.NDArray[np.float64]
) -> str | None:
    array = _array(evidence, trial, path)
    if array is None:
        return None
    if array.shape != expected.shape:
        return f"shape {array.shape}, expected {expected.shape}"
    return str(difference(array, expected, evidence.trials[trial].slack))


def _describe(seen: Seen) -> str:
    match seen:
        case None:
            return "None"
        case SeenArray():
            return "a NumPy array"
        case SeenObject(type_name) | SeenModule(type_name):
            return f"an object of type {type_name}"
        case tuple() | list():
            return f"a {type(seen).__name__} of {len(seen)}"
        case _:
            return f"a value of type {type(seen).__name__}"
