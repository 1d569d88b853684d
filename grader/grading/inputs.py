"""The random inputs of one grading."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.rubric import Floats, Rubric, Trial
    from grader.rubric.evidence import Predictions


@dataclass(frozen=True)
class Drawn:
    """The random inputs of one grading, and the oracles' results as far as they are computed.

    ``predicted`` are those with the knobs of a mistake.
    """

    seed: int
    trials: Mapping[str, Trial]
    expected: dict[str, Mapping[str, Floats]] = field(default_factory=dict)
    predicted: Predictions = field(default_factory=dict)

    def calculate(self) -> Drawn:
        """Compute the missing oracle results; returns itself."""
        for _ in self.calculating():
            pass
        return self

    def calculating(self) -> Iterator[str]:
        """Compute the missing oracle results one by one; yields the trial of each."""
        for name, trial in self.trials.items():
            if trial.expect is not None and name not in self.expected:
                self.expected[name] = trial.expect()
                yield name


def draw(rubric: Rubric, seed: int | None = None) -> Drawn:
    """The trials of ``rubric`` from ``seed``, by default a fresh one."""
    import numpy as np

    seed = secrets.randbits(32) if seed is None else seed
    trials = rubric.draw(np.random.default_rng(seed))
    return Drawn(seed, {trial.probe.name: trial for trial in trials})
