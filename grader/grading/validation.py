"""Validates what the worker said against the source.

The learner's code runs in the worker and may speak in its place. An answer from a class, a
function or a method that the file certainly does not define cannot have come from the call that
was asked for; it becomes the error that an honest worker would have reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from grader.protocol.probe import Call, Make, Observation, Probe, SeenError

if TYPE_CHECKING:
    from grader.protocol.probe import Action, Outcome, Seen
    from grader.source.must_analysis import Certain


def validated(outcome: Outcome, probes: Iterable[Probe], known: Certain, file: str) -> Outcome:
    """The outcome without answers that the file's source rules out."""
    asked = {probe.name: probe for probe in probes}
    observations = {
        name: _checked(one, asked[name], known, file) for name, one in outcome.observations.items()
    }
    return replace(outcome, observations=observations)


def _checked(seen: Observation, probe: Probe, known: Certain, file: str) -> Observation:
    """The results up to the first that cannot be, and the error that belongs there."""
    made = {one.name: one.target for one in probe.actions if isinstance(one, Make)}
    results: dict[str, Seen] = {}
    for action in probe.actions:
        if action.name not in seen.results:
            break
        if missing := _missing(action, made, known, file):
            error = SeenError("MissingName", missing, action.name)
            return replace(seen, results=results, error=error)
        nothing = isinstance(action, Call) and _nothing(action, made, known)
        results[action.name] = None if nothing else seen.results[action.name]
    return replace(seen, results=results)


def _missing(action: Action, made: Mapping[str, str], known: Certain, file: str) -> str:
    """What the action needs and the file certainly lacks, as the worker would say it."""
    target = action.target if isinstance(action, Make) else None
    if isinstance(action, Call):
        if action.on is None:
            target = action.method
        elif cls := made.get(action.on):
            lacks = known.lacks_method(cls, action.method or "__call__")
            return f"{cls} has no method {action.method or 'forward'}" if lacks else ""
    return f"{target} is not defined in {file}" if target and known.lacks(target) else ""


def _nothing(action: Call, made: Mapping[str, str], known: Certain) -> bool:
    """Whether what is called certainly returns None."""
    if action.on is None:
        return action.method is not None and known.returns_nothing(action.method)
    cls = made.get(action.on)
    return cls is not None and known.method_returns_nothing(cls, action.method or "__call__")
