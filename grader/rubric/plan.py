"""Covering designs: which trials a step has, drawn from what it can be asked.

An author names the axes of a step (options, lengths, element types) and the values of each.
:func:`covering` gives few cases that together contain every pair of values of any two axes. So a
program that is wrong only with two options together, or only where two lengths are equal, meets
a case that shows it, in every grading. Nothing here is drawn by chance.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from grader.protocol.probe import Action, Call, Load, Make, Probe, Read, Ref, Take, Watch
from grader.rubric.evidence import Expect, Floats, Trial

Case = dict[str, Any]
"""A value for each axis."""

Values = tuple[tuple[str, int], ...]
"""A value, by its index, for some of the axes, in their order."""


def covering(
    axes: Mapping[str, Sequence[Any]],
    allowed: Callable[[Case], bool] = lambda case: True,
    *,
    three: Sequence[str] = (),
) -> list[Case]:
    """Cases that contain every pair of values of any two axes, where ``allowed`` permits it.

    Of the axes in ``three``, every three values as well. Greedy: each case begins with values
    that are still missing, and takes from every other axis the value that adds most.
    """
    missing = dict.fromkeys(_wanted(axes, tuple(axes), 2) + _wanted(axes, tuple(three), 3))
    cases: list[Case] = []
    while missing:
        first = next(iter(missing))
        del missing[first]
        chosen = _complete(axes, dict(first), missing, allowed)
        if chosen is None:
            continue
        for values in _together_in(axes, chosen):
            missing.pop(values, None)
        cases.append({axis: axes[axis][chosen[axis]] for axis in axes})
    return cases


def _wanted(axes: Mapping[str, Sequence[Any]], names: Sequence[str], count: int) -> list[Values]:
    return [
        tuple(zip(some, indices, strict=True))
        for some in itertools.combinations(names, count)
        for indices in itertools.product(*(range(len(axes[name])) for name in some))
    ]


def _together_in(axes: Mapping[str, Sequence[Any]], chosen: Mapping[str, int]) -> list[Values]:
    """The pairs and threes that a case contains, or a part of one."""
    known = [(axis, chosen[axis]) for axis in axes if axis in chosen]
    return [*itertools.combinations(known, 2), *itertools.combinations(known, 3)]


def _complete(
    axes: Mapping[str, Sequence[Any]],
    chosen: dict[str, int],
    missing: Mapping[Values, None],
    allowed: Callable[[Case], bool],
) -> dict[str, int] | None:
    """``chosen`` with a value for every axis; None where no allowed case has it."""
    axis = next((axis for axis in axes if axis not in chosen), None)
    if axis is None:
        case = {name: axes[name][chosen[name]] for name in axes}
        return chosen if allowed(case) else None

    def added(index: int) -> int:
        return sum(one in missing for one in _together_in(axes, {**chosen, axis: index}))

    for index in sorted(range(len(axes[axis])), key=added, reverse=True):
        if found := _complete(axes, {**chosen, axis: index}, missing, allowed):
            return found
    return None


def in_turn(name: str, trials: Mapping[str, Trial]) -> Trial:
    """One trial with the actions of several, one of each at a time.

    So an object is called between two calls of another. The actions of the trial called ``key``
    get the names ``key-name``.
    """
    renamed = [[_renamed(a, key) for a in t.probe.actions] for key, t in trials.items()]
    turns = itertools.zip_longest(*renamed)
    actions = tuple(action for turn in turns for action in turn if action is not None)
    expects = {f"{key}-": trial.expect for key, trial in trials.items() if trial.expect is not None}
    slack = max(trial.slack for trial in trials.values())
    return Trial(Probe(name, actions), _together(expects), slack=slack)


def reloaded(trial: Trial, then: Trial) -> Trial:
    """``trial``, and then the actions of ``then`` on the same object: its weights are other ones.

    Both begin by making that object. The later actions get names that begin with "again-". So an
    object that keeps something of its first weights is wrong.
    """
    later = [
        _renamed(one, "again", same=True) for one in then.probe.actions if not isinstance(one, Make)
    ]
    expects = {"": trial.expect, "again-": then.expect}
    return replace(
        trial,
        probe=replace(trial.probe, actions=(*trial.probe.actions, *later)),
        expect=_together({key: one for key, one in expects.items() if one is not None}),
    )


def beside(trial: Trial) -> Trial:
    """``trial`` with a second object like its first, which gets other weights before any call.

    So what two objects of one size share shows.
    """
    actions = trial.probe.actions
    make = next(one for one in actions if isinstance(one, Make))
    load = next(one for one in actions if isinstance(one, Load) and one.on == make.name)
    others = {name: np.ascontiguousarray(array[::-1]) for name, array in load.weights.items()}
    twin = replace(make, name="twin")
    loaded = replace(load, name="twin-loaded", on="twin", weights=others)
    first, second = (next(i for i, a in enumerate(actions) if a is one) for one in (make, load))
    new = (*actions[: first + 1], twin, *actions[first + 1 : second + 1], loaded)
    return replace(trial, probe=replace(trial.probe, actions=(*new, *actions[second + 1 :])))


def _together(expects: Mapping[str, Expect]) -> Expect:
    """All of the answers; a key is what their names begin with."""

    def expect(**knobs: Any) -> dict[str, Floats]:
        return {
            f"{key}{path}": array
            for key, one in expects.items()
            for path, array in one(**knobs).items()
        }

    return expect


def _renamed(action: Action, key: str, *, same: bool = False) -> Action:
    """``action`` under a name of its own, and so are the actions that it continues.

    With ``same``, the object that it is done on keeps its name.
    """
    name, before = f"{key}-{action.name}", "" if same else f"{key}-"
    match action:
        case Make():
            return replace(
                action, name=name, args=_refs(action.args, key), kwargs=_refs(action.kwargs, key)
            )
        case Call():
            on = None if action.on is None else f"{before}{action.on}"
            args, kwargs = _refs(action.args, key), _refs(action.kwargs, key)
            return replace(action, name=name, on=on, args=args, kwargs=kwargs)
        case Load() | Read() | Watch() | Take():
            return replace(action, name=name, on=f"{before}{action.on}")


def _refs(value: Any, key: str) -> Any:
    match value:
        case Ref(name, path):
            return Ref(f"{key}-{name}", path)
        case list():
            return [_refs(item, key) for item in value]
        case tuple():
            return tuple(_refs(item, key) for item in value)
        case dict():
            return {inner: _refs(item, key) for inner, item in value.items()}
    return value
