"""The rubrics: each mistake that they know changes a number, and what they name exists."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from grader.base import course
from grader.base.model import Step
from grader.rubric import Trial, load
from grader.rubric.compare import close

Floats = npt.NDArray[np.float64]
STEPS = course.steps()


def random(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def answers(trial: Trial, knobs: dict[str, Any]) -> dict[str, Floats | None]:
    """What the oracle says to these knobs; None for an error."""
    assert trial.expect is not None
    try:
        with np.errstate(all="ignore"):
            return dict(trial.expect(**knobs))
    except (ValueError, IndexError):
        return dict.fromkeys(trial.expect())


def same(one: dict[str, Floats | None], other: dict[str, Floats | None]) -> bool:
    for path, left in one.items():
        right = other[path]
        if left is None or right is None:
            if left is not right:
                return False
        elif not close(left, right):
            return False
    return True


@pytest.mark.parametrize("name", ["s02", "s03", "s04", "s06", "s08"])
def test_every_misconception_is_wrong_and_unlike_the_others(name: str) -> None:
    found = load.rubric(course.find(name))
    trials = [trial for trial in found.draw(random(11)) if trial.expect is not None]
    right = [answers(trial, {}) for trial in trials]
    seen: dict[str, list[dict[str, Floats | None]]] = {}
    for one in found.misconceptions:
        said = [answers(trial, dict(one.knobs)) for trial in trials]
        assert not all(map(same, said, right)), f"{one.id} changes nothing"
        for other, before in seen.items():
            if other != one.id:
                assert not all(map(same, said, before)), f"{one.id} is {other}"
        seen[one.id] = said


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.id)
def test_rubrics_name_checks_that_exist(step: Step) -> None:
    found = load.rubric(step)
    trials = {trial.probe.name for trial in found.draw(random(1))}
    checks = [check.id for check in found.checks]
    assert len(set(checks)) == len(checks)
    for check in found.checks:
        assert set(check.needs) <= set(checks)
        assert set(check.proven_by) <= set(checks) | trials
        assert set(check.left_open_by) <= set(checks)
    for one in found.misconceptions:
        assert found.blamed(one), one.id
