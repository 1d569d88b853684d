"""How many points each check is worth.

A TOML file has one table for each step, and in it a whole number for each check that is not
worth one point. ``"*"`` stands for the checks not named:

.. code-block:: toml

    [s05]
    "*" = 1
    attn-output = 10
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grader.base import course
from grader.base.files import Unusable
from grader.base.model import Report, Status

OTHERS = "*"


@dataclass(frozen=True)
class Points:
    """The weight of each check of each step; one point each by default."""

    weights: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def of(self, step: str, check: str) -> int:
        """What a check is worth."""
        weights = self.weights.get(step, {})
        return weights.get(check, weights.get(OTHERS, 1))

    def score(self, report: Report) -> int:
        """The points of the checks that passed."""
        passed = (check for check in report.checks if check.status is Status.PASS)
        return sum(self.of(report.step, check.id) for check in passed)

    def most(self, report: Report) -> int:
        """The points of all checks."""
        return sum(self.of(report.step, check.id) for check in report.checks)


def read(path: Path) -> Points:
    """The points that the file at ``path`` gives.

    Raises:
        Unusable: it is not such a file, or names a step or a check that does not exist.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise Unusable(f"The points {path} cannot be read: {problem.strerror}.") from None
    except ValueError as problem:
        raise Unusable(f"The points {path} are not a TOML file: {problem}.") from None
    weights = {}
    for name, given in table.items():
        try:
            step = course.find(name)
        except course.UnknownStep as problem:
            raise Unusable(f"{path}: {problem}") from None
        if not isinstance(given, dict):
            raise Unusable(f"{path}: [{name}] should be a table of checks and points.")
        weights[step.id] = _checked(path, step.id, given)
    return Points(weights)


def _checked(path: Path, step: str, given: Mapping[str, object]) -> dict[str, int]:
    from grader.rubric import load

    known = [check.id for check in load.rubric(course.find(step)).checks]
    weights = {}
    for name, points in given.items():
        if name != OTHERS and name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            guess = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(known)}."
            raise Unusable(f"{path}: {step} has no check {name!r}. {guess}")
        if not isinstance(points, int) or isinstance(points, bool) or points < 0:
            raise Unusable(f"{path}: {step}, {name}: points are whole numbers, 0 or more.")
        weights[name] = points
    return weights
