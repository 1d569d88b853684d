"""Rules on what an object keeps: its layers, its parameters, its attributes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from grader.frameworks import Framework
from grader.protocol.probe import ConfigArg, Load, Make, SeenModule, SeenObject
from grader.rubric.checks import Failed, NotRun, Passed, Rule, Ruling
from grader.rubric.evidence import Evidence, State
from grader.rubric.rules.asking import actions_of
from grader.rubric.rules.running import obstacle


def has_layer(trials: tuple[str, ...], attribute: str) -> Rule:
    """``attribute`` is a ``Linear`` whose parameters have the shapes of the given weights."""

    def rule(evidence: Evidence) -> Ruling:
        for name, make in actions_of(evidence, trials, Make):
            if stop := obstacle(evidence, name, make.name):
                return stop if isinstance(stop, NotRun) else NotRun()
            seen = evidence.seen(name, make.name)
            if not isinstance(seen, SeenModule):
                return NotRun()
            kind = seen.attributes.get(attribute)
            if kind in (None, "NoneType"):
                told = f"self.{attribute} is {'missing' if kind is None else 'None'}"
                given = evidence.weights(name, make.name)
                other = _renamed(seen, given, attribute) if kind is None else None
                if other is not None:
                    hint = RENAME.format(mine=other, have=other, want=attribute)
                    return Failed(told, hint, about=other, unset=attribute)
                return Failed(told, about=attribute)
            if problem := _parameter_problem(evidence, name, make.name, f"{attribute}."):
                return problem
        return Passed()

    return rule


RENAME = "Your module calls it {mine}: rename {have} to {want}."


def _renamed(
    module: SeenModule, given: Mapping[str, npt.NDArray[np.generic]], layer: str
) -> str | None:
    """The one other layer of a module whose parameters are those of the missing one."""
    want = {k[len(layer) :]: tuple(v.shape) for k, v in given.items() if k.startswith(f"{layer}.")}
    known = {key.partition(".")[0] for key in given}
    others = {key.partition(".")[0] for key in module.parameters} - known
    found = [
        one
        for one in others
        if {k[len(one) :]: v.shape for k, v in module.parameters.items() if k.startswith(f"{one}.")}
        == want
    ]
    return found[0] if len(found) == 1 else None


def loads(*trials: str) -> Rule:
    """The parameters are exactly those of the given weights, and they load."""

    def rule(evidence: Evidence) -> Ruling:
        loaded: set[tuple[str, str]] = set()
        for name, load in actions_of(evidence, trials, Load):
            again = (name, load.on) in loaded
            if again and evidence.state(name, load.name) is State.BLOCKED:
                continue  # a call before it raised an error, which is for another check
            loaded.add((name, load.on))
            if problem := _parameter_problem(evidence, name, load.on, ""):
                return problem
            if stop := obstacle(evidence, name, load.name):
                return stop
        return Passed()

    return rule


def _parameter_problem(evidence: Evidence, trial: str, on: str, prefix: str) -> Failed | None:
    """The first difference between a module's parameters and the weights it will be given."""
    module, given = evidence.seen(trial, on), evidence.weights(trial, on)
    if not isinstance(module, SeenModule):
        return None
    want = {k: tuple(v.shape) for k, v in given.items() if k.startswith(prefix)}
    have = {k: v for k, v in module.parameters.items() if k.startswith(prefix)}
    for key, shape in want.items():
        if key not in have:
            alike = len(have) == len(want)
            more = next((name for name in have if alike and name not in want), None)
            about = _setter(evidence, module, key)
            return _missing(key, module, evidence.framework, more, about)
        if have[key].shape != shape:
            turned = [one for one in want if one in have and _is_turned(have[one].shape, want[one])]
            about = _setter(evidence, module, key)
            hint = evidence.framework.hint("turned") if key in turned else None
            return Failed(
                f"The parameter {key} has shape {list(have[key].shape)}, expected {list(shape)}"
                + _options(evidence, trial, on),
                hint or _axes(have[key].shape, shape),
                about=f"made: {about}" if key in turned[:1] and turned[1:] else f"given: {about}",
            )
    for key in have:
        if key not in want:
            return _too_many(key, want, _options(evidence, trial, on), evidence.framework)
    return None


def _axes(have: tuple[int, ...], want: tuple[int, ...]) -> str | None:
    """What to do about a parameter that has another number of axes than it must have."""
    if len(have) == len(want):
        return None
    counts = f"{len(want)} {'size' if len(want) == 1 else 'sizes'}"
    return f"Its shape must be a list of {counts}, and has {len(have)}."


def _is_turned(have: tuple[int, ...], want: tuple[int, ...]) -> bool:
    """Whether a matrix has its two sizes in the other order."""
    return len(want) == 2 and have != want and have == want[::-1]


def _setter(evidence: Evidence, module: SeenModule, key: str) -> str:
    """The attribute whose line is to blame for parameter ``key``.

    That is the layer's; but the outer one if that is of a class which is right alone, and so was
    made with wrong arguments.
    """
    outer, _, rest = key.partition(".")
    kind = module.attributes.get(outer)
    for name, trial in evidence.trials.items():
        makes = [one for one in trial.probe.actions if isinstance(one, Make)]
        loads = [one for one in trial.probe.actions if isinstance(one, Load)]
        alone = any(one.target == kind for one in makes) and loads and "." in rest
        if alone and evidence.state(name, loads[0].name) is State.SEEN:
            return outer
    return key.rpartition(".")[0] or key


def _missing(
    key: str, seen: SeenModule, framework: Framework, more: str | None, about: str
) -> Failed:
    """A parameter that the weights have but the module lacks.

    ``more`` is one that the module has instead: the name may be misspelled.
    """
    kind = seen.attributes.get(key, framework.tensor_type)
    if kind != framework.tensor_type:
        told = "None" if kind == "NoneType" else f"of type {kind}"
        return Failed(
            f"The parameter {key} is missing: self.{key} is {told}",
            framework.hint("no parameter"),
            about=about,
        )
    told = f"The parameter {key} is missing"
    outer = key.partition(".")[0]
    if seen.attributes.get(outer) == "NoneType":
        return Failed(f"{told}: self.{outer} is None", about=outer)
    if seen.attributes.get(outer) == "type":
        what = f"self.{outer} is a class, no object of it. Call the class, with its arguments."
        return Failed(told, what, about=outer)
    if more is None and outer not in seen.attributes:
        what = f"Nothing sets self.{outer}. Set it in __init__: a name without self. is lost there."
        return Failed(told, what, about=about)
    mine, theirs = (one.split(".") for one in (more or "", key))
    places = [i for i, both in enumerate(zip(mine, theirs, strict=False)) if both[0] != both[1]]
    if len(mine) == len(theirs) and len(places) == 1:
        at = places[0]
        hint = RENAME.format(mine=more, have=mine[at], want=theirs[at])
        return Failed(told, hint, about=".".join(mine[: at + 1]), unset=theirs[at])
    why = framework.hint("bias missing") if key.endswith(".bias") else None
    return Failed(told, why, about=f"given: {about}")


def _too_many(key: str, want: Mapping[str, object], options: str, framework: Framework) -> Failed:
    """A parameter that the module has but the weights lack."""
    message = f"There is one parameter too many{options}: {key}"
    owner, _, last = key.rpartition(".")
    if owner and last == "bias" and f"{owner}.weight" in want:
        return Failed(
            message,
            framework.hint("bias too many", owner=owner),
            concept="bias-too-many",
            about=owner,
        )
    if owner and last in ("weight", "bias"):
        return Failed(
            message,
            f"self.{owner} is a layer without weights to load: is it needed, and named right?",
            concept="layer-too-many",
            about=owner,
        )
    return Failed(
        message,
        "Every tensor kept on self becomes a parameter that weights must be loaded for. "
        "Make tensors like a mask inside the method that uses them.",
        concept="tensor-on-self",
        about=key,
    )


def _options(evidence: Evidence, trial: str, on: str) -> str:
    """The options with which the trial's object was made, as a clause."""
    actions = evidence.trials[trial].probe.actions
    made = next(a for a in actions if isinstance(a, Make) and a.name == on)
    given = dict(made.kwargs)
    for arg in made.args:
        given |= arg.fields if isinstance(arg, ConfigArg) else {}
    plain = {k: v for k, v in given.items() if isinstance(v, bool | int | float | str)}
    return f" with {', '.join(f'{k}={v}' for k, v in plain.items())}" if plain else ""


def attribute_is(trial: str, attribute: str, value: object, *, action: str = "attributes") -> Rule:
    """The attribute that was read has this value.

    A program without the attribute may be right: only the forward pass shows whether it is.
    """

    def rule(evidence: Evidence) -> Ruling:
        if obstacle(evidence, trial, action):
            return NotRun()
        seen = evidence.seen(trial, action)
        given = seen if isinstance(seen, dict) else {}
        have = given.get(attribute)
        if have is None and evidence.whole_right():
            return Passed(f"Your code does without self.{attribute}.")
        if attribute not in given:
            told = f"self.{attribute} is missing"
            return Failed(told, about=attribute) if _lacks(evidence, attribute) else NotRun()
        if isinstance(have, bool) or not isinstance(have, int | float) or have != value:
            shown = have.type_name if isinstance(have, SeenObject) else have
            told = f"self.{attribute} is {shown!r}, expected {value!r}"
            return Failed(told, about=attribute)
        return Passed()

    return rule


def _lacks(evidence: Evidence, attribute: str) -> bool:
    """Whether the program reads an attribute that nothing sets."""
    errors = filter(None, map(evidence.error, evidence.trials))
    return any(e.type_name == "AttributeError" and f"'{attribute}'" in e.message for e in errors)
