"""How rules query the evidence: for actions and arrays, and what to call them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from grader.protocol.probe import (
    Call,
    Load,
    Make,
    Seen,
    SeenArray,
    SeenModule,
    SeenObject,
    SeenTensor,
)
from grader.rubric.evidence import Evidence

_A = TypeVar("_A", Make, Load, Call)


def actions_of(
    evidence: Evidence, trials: tuple[str, ...], kind: type[_A]
) -> Iterator[tuple[str, _A]]:
    """Each action of one kind in these trials, with the trial's name."""
    for name in evidence.matching(*trials):
        for action in evidence.trials[name].probe.actions:
            if isinstance(action, kind):
                yield name, action


def results_of(evidence: Evidence, trials: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The trial and the path of each result that an oracle expects of these trials."""
    for name in evidence.matching(*trials):
        for path in evidence.expected(name):
            yield name, path


def array_at(evidence: Evidence, trial: str, path: str) -> npt.NDArray[np.generic] | None:
    """The array that came back; None if it was something else."""
    seen = evidence.seen(trial, path)
    return seen.array if isinstance(seen, SeenTensor | SeenArray) else None


def call_of(evidence: Evidence, trial: str, path: str) -> str:
    """The learner's name for what returned the result at ``path``."""
    for action in evidence.trials[trial].probe.actions:
        if isinstance(action, Call) and action.name == path.split(".", maxsplit=1)[0]:
            return action.method or "The forward pass"
    return path


def describe(seen: Seen) -> str:
    """What came back, as a noun with its article."""
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
