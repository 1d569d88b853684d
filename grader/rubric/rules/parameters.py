"""Rules on what an object keeps: its layers, its parameters, its attributes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grader.frameworks import Framework
from grader.protocol.probe import ConfigArg, Load, Make, SeenModule, SeenObject
from grader.rubric.checks import Failed, NotRun, Passed, Rule, Ruling
from grader.rubric.evidence import Evidence, State
from grader.rubric.rules.queries import actions_of
from grader.rubric.rules.running import obstacle, reached


def has_layer(trials: tuple[str, ...], attribute: str) -> Rule:
    """``attribute`` is a ``Linear`` whose parameters have the shapes of the given weights."""

    def rule(evidence: Evidence) -> Ruling:
        for name, make in reached(evidence, trials, Make):  # what returned was given its weights
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
        for name, load in reached(evidence, trials, Load):
            again = (name, load.on) in loaded
            if again and evidence.state(name, load.name) is State.BLOCKED:
                continue  # a call before it raised an error, which is for another check
            loaded.add((name, load.on))
            if problem := _parameter_problem(evidence, name, load.on, ""):
                return _of_length(evidence, trials, name, load.on) or problem
            if stop := obstacle(evidence, name, load.name):
                return stop
        return Passed()

    return rule


def keeps_none(*trials: str, besides: str = "") -> Rule:
    """No call keeps a tensor on the object, where it would be one more parameter.

    ``besides`` begins the names of a part that may: an earlier step allows it.
    """

    def rule(evidence: Evidence) -> Ruling:
        for name, load in actions_of(evidence, trials, Load):
            seen = evidence.seen(name, load.name)
            kept = [str(one) for one in seen] if isinstance(seen, list) else []
            kept = [one for one in kept if not besides or not one.startswith(besides)]
            if kept:
                more = "a parameter" if len(kept) == 1 else f"{len(kept)} parameters"
                return Failed(
                    f"After a call there is {more} more: {_some(kept)}",
                    "A tensor kept on self, even in a list there, becomes a parameter. "
                    "Keep it in a local variable.",
                    concept="tensor-on-self",
                    about=kept[0].partition(".")[0],
                )
        return Passed()

    return rule


def _parameter_problem(evidence: Evidence, trial: str, on: str, prefix: str) -> Failed | None:
    """The first difference between a module's parameters and the weights it will be given."""
    module, given = evidence.seen(trial, on), evidence.weights(trial, on)
    if not isinstance(module, SeenModule):
        return None
    want = {k: tuple(v.shape) for k, v in given.items() if k.startswith(prefix)}
    have = {k: v for k, v in module.parameters.items() if k.startswith(prefix)}
    lacks = [key for key in want if key not in have]
    for key, shape in want.items():
        if key not in have:
            alike = len(have) == len(want)
            more = next((name for name in have if alike and name not in want), None)
            about = _setter(evidence, module, key)
            return _missing(lacks, module, evidence.framework, more, about)
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
    if others := [key for key in have if key not in want]:
        return _too_many(others, want, _options(evidence, trial, on), evidence.framework)
    return None


@dataclass(frozen=True)
class _List:
    """A list of modules that has another number of entries than the weights are for."""

    path: str
    have: int
    want: int


def _of_length(evidence: Evidence, trials: tuple[str, ...], trial: str, on: str) -> Failed | None:
    """What is said of parameters that are missing or too many, as a list has the wrong length.

    Where all of the list is missing, another trial shows whether it is only its length.
    """
    each = {(name, load.on) for name, load in actions_of(evidence, trials, Load)}
    found = {one: listed for one in each if (listed := _listed(evidence, *one)) is not None}
    key = next(_unlike(evidence, trial, on), "")
    own = (trial, on) if (trial, on) in found else min(found, default=None)
    if own is None or not key.startswith(f"{found[own].path}."):
        return None
    listed, what = found[own], f"self.{found[own].path.rpartition('.')[2]}"
    one = "entry" if listed.have == 1 else "entries"
    right = _counted_by(evidence, {each: found[each].want for each in found})
    wrong = _counted_by(evidence, {each: found[each].have for each in found})
    clause = f" with {right[0]}={listed.want}" if right else _options(evidence, *own)
    hint = f"{what} must have as many entries as {right[0]} says." if right else COUNTS
    if len(found) > 1 and wrong:
        hint = f"{hint} It has as many as {wrong[0]} says."
    said = f"{what} has {listed.have} {one}, expected {listed.want}{clause}"
    return Failed(said, hint, about=f"counted: {listed.path}", alone=True)


COUNTS = "Check what counts its entries."


def _unlike(evidence: Evidence, trial: str, on: str) -> Iterator[str]:
    """The names of the parameters that a module lacks, and of those that it has too many."""
    module, given = evidence.seen(trial, on), evidence.weights(trial, on)
    if isinstance(module, SeenModule):
        yield from (key for key in given if key not in module.parameters)
        yield from (key for key in module.parameters if key not in given)


def _listed(evidence: Evidence, trial: str, on: str) -> _List | None:
    """The list of another length that the first such parameter is in; its entries are right."""
    module = evidence.seen(trial, on)
    found = re.match(r"(.+?)\.\d+\.", next(_unlike(evidence, trial, on), ""))
    if found is None or not isinstance(module, SeenModule):
        return None
    have = _entries(module.parameters, found[1])
    want = _entries(evidence.weights(trial, on), found[1])
    short, long = sorted((have, want), key=len)
    counted = list(range(len(long)))
    if not short or sorted(long) != counted or sorted(short) != counted[: len(short)]:
        return None
    same = len(short) < len(long) and all(short[at] == long[at] for at in short)
    return _List(found[1], len(have), len(want)) if same else None


def _entries(names: Iterable[str], path: str) -> dict[int, set[str]]:
    """The parameters of each entry of a list."""
    entries: defaultdict[int, set[str]] = defaultdict(set)
    for one in (name.removeprefix(f"{path}.") for name in names if name.startswith(f"{path}.")):
        at, _, rest = one.partition(".")
        if at.isdecimal():
            entries[int(at)].add(rest)
    return entries


def _counted_by(evidence: Evidence, counts: Mapping[tuple[str, str], int]) -> Sequence[str]:
    """The options whose value is this count, wherever there is one."""
    options = [(_given(evidence, *one), count) for one, count in counts.items()]
    names = options[0][0] if options else ()
    return [one for one in names if all(given.get(one) == count for given, count in options)]


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
    keys: Sequence[str], seen: SeenModule, framework: Framework, more: str | None, about: str
) -> Failed:
    """The first parameter that the weights have but the module lacks, of all these.

    ``more`` is one that the module has instead: the name may be misspelled.
    """
    key = keys[0]
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
        what = f"self.{outer} is the class itself, not an instance: call it with arguments."
        return Failed(told, what, about=outer)
    if keys[1:]:
        told = f"{len(keys)} parameters are missing: {_some(keys)}"
    if more is None and outer not in seen.attributes:
        what = f"Nothing sets self.{outer}. Set it in __init__: a name without self. is lost there."
        return Failed(told, what, about=about)
    mine, theirs = (one.split(".") for one in (more or "", key))
    places = [i for i, both in enumerate(zip(mine, theirs, strict=False)) if both[0] != both[1]]
    if len(mine) == len(theirs) and len(places) == 1:
        at = places[0]
        hint = RENAME.format(mine=more, have=mine[at], want=theirs[at])
        hint = hint.replace(" it ", " the first ", 1) if keys[1:] else hint
        return Failed(told, hint, about=".".join(mine[: at + 1]), unset=theirs[at])
    why = framework.hint("bias missing") if key.endswith(".bias") else None
    return Failed(told, why, about=f"given: {about}")


def _some(keys: Sequence[str]) -> str:
    """The names of a few parameters; of many, the first two."""
    return f"{keys[0]}, {keys[1]}, …" if len(keys) > MOST_NAMED else ", ".join(keys)


MOST_NAMED = 3
"""Parameters that are all named."""


def _too_many(
    keys: Sequence[str], want: Mapping[str, object], options: str, framework: Framework
) -> Failed:
    """Parameters that the module has but the weights lack."""
    key = keys[0]
    count = f"are {len(keys)} parameters" if keys[1:] else "is one parameter"
    message = f"There {count} too many{options}: {_some(keys)}"
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
            f"self.{owner} is a layer without weights to load: is it needed, and its name right?",
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
    plain = _given(evidence, trial, on)
    return f" with {', '.join(f'{k}={v}' for k, v in plain.items())}" if plain else ""


def _given(evidence: Evidence, trial: str, on: str) -> dict[str, bool | int | float | str]:
    """The plain options with which the trial's object was made."""
    actions = evidence.trials[trial].probe.actions
    made = next(a for a in actions if isinstance(a, Make) and a.name == on)
    given = dict(made.kwargs)
    for arg in made.args:
        given |= arg.fields if isinstance(arg, ConfigArg) else {}
    return {k: v for k, v in given.items() if isinstance(v, bool | int | float | str)}


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
            return Passed(f"Your code does not need self.{attribute}.")
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
