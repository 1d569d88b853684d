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

from grader.protocol.probe import Action, Call, Load, Make, Probe, Read, Ref
from grader.rubric.evidence import Expect, Floats, Trial

Case = dict[str, Any]
"""A value for each axis."""

Pair = tuple[str, int, str, int]
"""Two axes, in order, each with the index of one of its values."""


def covering(
    axes: Mapping[str, Sequence[Any]], allowed: Callable[[Case], bool] = lambda case: True
) -> list[Case]:
    """Cases that contain every pair of values of any two axes, where ``allowed`` permits it.

    Greedy: each case begins with a pair that is still missing, and takes from every other axis
    the value that adds most. A pair that no allowed case contains is left out.
    """
    missing = dict.fromkeys(_pairs(axes))
    cases: list[Case] = []
    while missing:
        first = next(iter(missing))
        del missing[first]
        chosen = _complete(axes, {first[0]: first[1], first[2]: first[3]}, missing, allowed)
        if chosen is None:
            continue
        for pair in _pairs_in(axes, chosen):
            missing.pop(pair, None)
        cases.append({axis: axes[axis][chosen[axis]] for axis in axes})
    return cases


def _pairs(axes: Mapping[str, Sequence[Any]]) -> list[Pair]:
    return [
        (one, i, other, j)
        for one, other in itertools.combinations(axes, 2)
        for i in range(len(axes[one]))
        for j in range(len(axes[other]))
    ]


def _pairs_in(axes: Mapping[str, Sequence[Any]], chosen: Mapping[str, int]) -> list[Pair]:
    """The pairs that a case contains, or a part of one."""
    known = [axis for axis in axes if axis in chosen]
    return [(a, chosen[a], b, chosen[b]) for a, b in itertools.combinations(known, 2)]


def _complete(
    axes: Mapping[str, Sequence[Any]],
    chosen: dict[str, int],
    missing: Mapping[Pair, None],
    allowed: Callable[[Case], bool],
) -> dict[str, int] | None:
    """``chosen`` with a value for every axis; None where no allowed case has it."""
    axis = next((axis for axis in axes if axis not in chosen), None)
    if axis is None:
        case = {name: axes[name][index] for name, index in chosen.items()}
        return chosen if allowed(case) else None

    def added(index: int) -> int:
        more = {**chosen, axis: index}
        return sum(pair in missing for pair in _pairs_in(axes, more))

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
    expects = {key: trial.expect for key, trial in trials.items() if trial.expect is not None}
    slack = max(trial.slack for trial in trials.values())
    return Trial(Probe(name, actions), _together(expects), slack=slack)


def _together(expects: Mapping[str, Expect]) -> Expect:
    def expect(**knobs: Any) -> dict[str, Floats]:
        return {
            f"{key}-{path}": array
            for key, one in expects.items()
            for path, array in one(**knobs).items()
        }

    return expect


def _renamed(action: Action, key: str) -> Action:
    """``action`` under a name of its own, and so are the actions that it goes on from."""
    name = f"{key}-{action.name}"
    match action:
        case Make():
            return replace(
                action, name=name, args=_refs(action.args, key), kwargs=_refs(action.kwargs, key)
            )
        case Call():
            on = None if action.on is None else f"{key}-{action.on}"
            args, kwargs = _refs(action.args, key), _refs(action.kwargs, key)
            return replace(action, name=name, on=on, args=args, kwargs=kwargs)
        case Load() | Read():
            return replace(action, name=name, on=f"{key}-{action.on}")


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
