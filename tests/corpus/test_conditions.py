"""The trials of each step: none is drawn in vain, and each condition is met by one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from grader.protocol.probe import Observation, Outcome, Seen, SeenArray, SeenTensor
from grader.rubric.rules.queries import array_at
from tests import marks
from tests.graded import conditional, refusal, variants, verdicts
from tests.graded.conditions import CONDITIONS
from tests.marks import any_numbers, sampled

pytestmark = [pytest.mark.any_python, any_numbers]  # the numbers are NumPy's
SEED = 5


@pytest.fixture(scope="module", autouse=True)
def max_is_imported() -> None:
    """Once, as the worker does it."""
    verdicts.start()


def off(seen: Seen) -> Any:
    """The same result with other numbers."""
    match seen:
        case SeenTensor() | SeenArray():
            numbers = (
                seen.array + 1 if np.isfinite(seen.array).any() else np.zeros(seen.array.shape)
            )
            return replace(seen, array=numbers.astype(seen.array.dtype))
        case bool():
            return not seen
        case int() | float():
            return seen + 1
        case list() | tuple():
            return type(seen)(map(off, seen))
        case dict():
            return {key: off(one) for key, one in seen.items()}
    return seen


@pytest.mark.parametrize("step", sampled(6, variants.steps()))
def test_a_trial_with_other_numbers_is_refused(step: str) -> None:
    right = refusal.solution(step, SEED).observations
    unjudged = []
    for name, trial in refusal.drawn(step, SEED).trials.items():
        if trial.expect is None or trial.part:
            continue
        wrong = Observation(name, {key: off(one) for key, one in right[name].results.items()})
        outcome = Outcome("done", {**right, name: wrong})
        if refusal.evidence(step, SEED, outcome).right(name):
            continue  # the numbers mean the same: a mask's of a text of one token
        if refusal.behaves(step, SEED, outcome):
            unjudged.append(name)
    assert unjudged == []


@pytest.mark.sampled(12, 4)
@pytest.mark.parametrize("step", variants.steps())
def test_no_solution_comes_near_the_end_of_the_tolerance(step: str) -> None:
    """Whatever is drawn: another seed each day."""
    seed = int(marks.choose_day())
    right = refusal.evidence(step, seed, refusal.solution(step, seed))
    for name, trial in right.trials.items():
        wanted = right.expected(name) if trial.expect else {}
        for path, want in wanted.items():
            seen = array_at(right, name, path)
            assert seen is not None
            assert right.close(name, seen, want, times=0.75), (seed, name)


@pytest.mark.parametrize("step", variants.steps())
@pytest.mark.whole
def test_a_trial_meets_each_condition(step: str) -> None:
    for target in CONDITIONS[step]:
        conditions = target.conditions()
        alone = {name for name, text in conditions.items() if not conditional.counts(text)}
        assert alone <= set(conditional.meeting(step, target.name, SEED)), target.name
