"""What the worker saw, next to what the oracle expects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.frameworks import Framework
from grader.protocol.probe import (
    ArrayArg,
    Call,
    Load,
    Observation,
    Outcome,
    Probe,
    Seen,
    SeenArray,
    SeenError,
    SeenTensor,
    TensorArg,
)
from grader.rubric.compare import close

Floats = npt.NDArray[np.float64]
UNKNOWN: Floats = np.empty(0)
"""What a mistake predicts of a result that it does not settle, such as a text of fresh numbers.

It is this very object.
"""
Expect = Callable[..., Mapping[str, Floats]]
"""``expect(**knobs)`` returns the right array for each action's result, by action name.

A path into a tuple is written ``"out.0"``. Without knobs the formula is the right one; a
misconception passes knobs, and a formula ignores unknown knobs.
"""


@dataclass(frozen=True)
class Trial:
    """One probe with its expected results. Only the probe leaves this process.

    A ``part`` trial calls one helper alone. It locates a mistake and proves the helper's
    source checks, but a learner who wrote the program without that helper loses nothing.
    What is ``wished`` need not be right: it is only told. ``slack`` multiplies the tolerance if
    the formula amplifies float32 rounding. ``view`` is applied to every returned array, if several
    arrays mean the same.
    """

    probe: Probe
    expect: Expect | None = None
    part: bool = False
    wished: bool = False
    slack: float = 1.0
    view: Callable[[npt.NDArray[Any]], npt.NDArray[Any]] | None = None


class State(Enum):
    """What is known about one action of one trial."""

    SEEN = "seen"
    FAILED = "failed"
    BLOCKED = "blocked"
    RETURNED = "returned, but its result was not sent"
    UNDER_WAY = "under way"
    NEVER = "never"


Predictions = dict[tuple[str, int], tuple[Mapping[str, Any], Mapping[str, Floats] | None]]
"""What formulas give with the knobs of a mistake, by trial and the identity of the knobs."""


@dataclass(frozen=True)
class Evidence:
    """What the worker saw, next to the trials it was asked to run.

    ``framework`` is what the file is written in.
    """

    trials: Mapping[str, Trial]
    outcome: Outcome
    framework: Framework
    _expected: dict[str, Mapping[str, Floats]] = field(default_factory=dict, repr=False)
    _predicted: Predictions = field(default_factory=dict, repr=False)
    _equal: dict[tuple[str, str], bool] = field(default_factory=dict, init=False, repr=False)
    _right: dict[str, bool] = field(default_factory=dict, init=False, repr=False)

    def state(self, trial: str, action: str) -> State:
        """Whether ``action`` of ``trial`` returned a result, and if not, why."""
        if self.outcome.load_error is not None:
            return State.BLOCKED
        observation = self.outcome.observations.get(trial)
        if observation is None:
            return self._stopped(trial, action) if self.outcome.probe == trial else State.NEVER
        if action in observation.results:
            return State.SEEN
        if observation.error is not None and observation.error.action == action:
            return State.FAILED
        return State.BLOCKED

    def _stopped(self, trial: str, action: str) -> State:
        """What is known of an action of the trial that was under way when the program ended."""
        names = [one.name for one in self.trials[trial].probe.actions]
        if action == self.outcome.action or not {action, self.outcome.action} <= {*names}:
            return State.UNDER_WAY
        later = names.index(action) > names.index(self.outcome.action)
        return State.BLOCKED if later else State.RETURNED

    def observation(self, trial: str) -> Observation:
        """What ``trial`` returned; empty if it never ran."""
        return self.outcome.observations.get(trial, Observation(trial, {}))

    def error(self, trial: str) -> SeenError | None:
        """The exception that ended ``trial``."""
        return self.observation(trial).error

    def seen(self, trial: str, path: str) -> Seen:
        """The result at ``path``; None if absent.

        ``"out"``, or ``"out.0"`` inside a tuple, or ``"out.a.b"`` for the key ``"a.b"`` of a dict.
        """
        name, *inside = path.split(".")
        value = self.observation(trial).results.get(name)
        for index, key in enumerate(inside):
            if isinstance(value, tuple | list) and key.isdecimal() and int(key) < len(value):
                value = value[int(key)]
            elif isinstance(value, dict):
                value = value.get(".".join(inside[index:]))
                break
            else:
                return None
        if path in self.expected(trial):
            value = _numbers(value)
        view = self.trials[trial].view
        if view is not None and isinstance(value, SeenTensor | SeenArray):
            return replace(value, array=view(value.array))
        return value

    def expected(self, trial: str) -> Mapping[str, Floats]:
        """The oracle's arrays for ``trial``."""
        if trial not in self._expected:
            expect = self.trials[trial].expect
            self._expected[trial] = expect() if expect is not None else {}
        return self._expected[trial]

    def predicted(self, trial: str, knobs: Mapping[str, Any]) -> Mapping[str, Floats] | None:
        """What ``trial`` gives with the knobs of a mistake: as :meth:`formula`, but only once."""
        key = trial, id(knobs)
        if key not in self._predicted:
            self._predicted[key] = knobs, self.formula(trial, knobs)
        return self._predicted[key][1]

    def formula(self, trial: str, knobs: Mapping[str, Any]) -> Mapping[str, Floats] | None:
        """The arrays of the formula of ``trial`` with these knobs; None if it has none.

        A formula that cannot be evaluated on these shapes predicts an error: nothing.
        """
        expect = self.trials[trial].expect
        if expect is None or not knobs:
            return None if expect is None else self.expected(trial)
        try:
            return expect(**knobs)
        except (ValueError, IndexError):
            return {}

    def matching(self, *patterns: str) -> tuple[str, ...]:
        """The trials with these names, in their order; ``*``, ``?`` and ``[!a]`` as in file names.

        Raises ``LookupError`` for a pattern that no trial has: its check would look at nothing.
        """
        if idle := [p for p in patterns if not any(fnmatchcase(name, p) for name in self.trials)]:
            raise LookupError(f"No trial is called {', '.join(idle)}")
        return tuple(name for name in self.trials if any(fnmatchcase(name, p) for p in patterns))

    def right(self, trial: str) -> bool:
        """Whether ``trial`` has an oracle and every result equals it."""
        if trial not in self._right:
            expected = self.expected(trial)
            right = bool(expected) and all(self.equal(trial, path) for path in expected)
            self._right[trial] = right
        return self._right[trial]

    def equal(self, trial: str, path: str) -> bool:
        """Whether the result at a ``path`` of a trial equals the oracle's."""
        if (trial, path) not in self._equal:
            seen = self.seen(trial, path)
            self._equal[trial, path] = isinstance(seen, SeenTensor | SeenArray) and self.close(
                trial, seen.array, self.expected(trial)[path]
            )
        return self._equal[trial, path]

    def until_wrong(self, trial: str) -> Probe:
        """The probe of ``trial``, up to the first action whose result is wrong or missing."""
        probe = self.trials[trial].probe
        paths = self.expected(trial)
        wrong = {path.split(".")[0] for path in paths if not self.equal(trial, path)}
        ends = (n for n, one in enumerate(probe.actions, 1) if one.name in wrong)
        return replace(probe, actions=probe.actions[: next(ends, len(probe.actions))])

    def wrong_numbers(self) -> bool:
        """Whether some trial of the whole program returned arrays that differ from the oracle's."""
        return any(
            isinstance(seen := self.seen(name, path), SeenTensor | SeenArray)
            and not self.close(name, seen.array, want)
            for name, trial in self.trials.items()
            if not trial.part
            for path, want in self.expected(name).items()
        )

    def whole_right(self) -> bool:
        """Whether every trial of the whole program equals its oracle."""
        whole = [n for n, t in self.trials.items() if not t.part and t.expect is not None]
        return bool(whole) and all(self.right(name) for name in whole)

    def mostly_right(self) -> bool:
        """Whether more than half of the trials of the whole program equal their oracle.

        Then its structure is right, and what is wrong is a special case.
        """
        whole = [n for n, t in self.trials.items() if not t.part and t.expect is not None]
        return 2 * sum(self.right(name) or self._wrapped(name) for name in whole) > len(whole)

    def _wrapped(self, trial: str) -> bool:
        """Whether each result is a tuple or list whose first element equals the oracle."""
        expected = self.expected(trial)
        return bool(expected) and all(
            isinstance(seen := self.seen(trial, f"{path}.0"), SeenTensor)
            and self.close(trial, seen.array, want)
            for path, want in expected.items()
        )

    def close(
        self, trial: str, seen: npt.NDArray[np.generic], want: Floats, times: float = 1.0
    ) -> bool:
        """Whether ``seen`` is ``want`` within the tolerance of ``trial``, or ``times`` that."""
        return close(seen, want, self.trials[trial].slack * times)

    def weights(self, trial: str, on: str = "") -> Mapping[str, npt.NDArray[np.generic]]:
        """The weights that ``trial`` loads into the object ``on``, by default the first that do."""
        for action in self.trials[trial].probe.actions:
            if isinstance(action, Load) and on in ("", action.on):
                return action.weights
        return {}

    def inputs(self, trial: str) -> list[npt.NDArray[np.generic]]:
        """The arrays that ``trial`` calls the program with."""
        calls = [one for one in self.trials[trial].probe.actions if isinstance(one, Call)]
        values = [value for one in calls for value in (*one.args, *one.kwargs.values())]
        return [value.array for value in values if isinstance(value, TensorArg | ArrayArg)]


def _numbers(value: Seen) -> Seen:
    """A plain number, or a list of them, as the array that the oracle's answer will be."""
    flat = [
        one.array.item() if isinstance(one, SeenArray) and one.array.ndim == 0 else one
        for one in (value if isinstance(value, list | tuple) else [value])
    ]
    if flat and all(isinstance(one, int | float) and not isinstance(one, bool) for one in flat):
        return SeenArray(np.asarray(flat if isinstance(value, list | tuple) else flat[0]))
    return value
