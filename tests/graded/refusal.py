"""Whether the grader refuses a program of ours, with as little work as that takes.

Only behaviour is looked at: a source check can refuse no program that behaves.
"""

from __future__ import annotations

import functools
from collections.abc import Collection
from types import ModuleType

from grader import frameworks
from grader.base import course
from grader.grading import judge as judging
from grader.grading.inputs import Drawn, draw
from grader.protocol import wire
from grader.protocol.probe import Job, Observation, Outcome
from grader.rubric import Evidence, Rubric, load
from tests.graded.in_process import Inside


def refused(
    step: str, source: str, seed: int, trials: Collection[str] | None = None
) -> tuple[bool, ModuleType | None]:
    """Whether the grader refuses the program, and its module.

    The first trial for which it would be refused, were all others right, ends the run. Only
    ``trials`` run, where they are given: in all others the program is the solution.
    """
    right = solution(step, seed).observations
    seen: dict[str, Observation] = {}

    def enough(one: Observation) -> bool:
        if wire.encode(one) == wire.encode(right[one.probe]):
            return False
        seen[one.probe] = one
        return not behaves(step, seed, Outcome("done", {**right, **seen}))

    running = Inside(enough)
    outcome = running.finish(job(step, source, seed, trials))
    if outcome.ended == "done" and outcome.load_error is None:
        outcome = Outcome("done", {**right, **outcome.observations})
    return not behaves(step, seed, outcome), running.module


def job(step: str, source: str, seed: int, trials: Collection[str] | None = None) -> Job:
    """What a worker is asked about the program: all trials, or only ``trials``."""
    found = course.find(step)
    return Job(
        file=f"step_{step[1:]}.py",
        source=source,
        modules=course.earlier_modules(found),
        configuration=course.load(found.root).configuration,
        probes=tuple(
            trial.probe
            for name, trial in drawn(step, seed).trials.items()
            if trials is None or name in trials
        ),
    )


def behaves(step: str, seed: int, outcome: Outcome) -> bool:
    """Whether every run-time check passes."""
    rulings = judging.rule_all(_rubric(step), evidence(step, seed, outcome))
    return outcome.ended == "done" and judging.behaves(rulings)


def evidence(step: str, seed: int, outcome: Outcome) -> Evidence:
    """What was seen, next to what is right."""
    inputs = drawn(step, seed)
    return Evidence(inputs.trials, outcome, frameworks.current(), inputs.expected)


@functools.cache
def solution(step: str, seed: int) -> Outcome:
    """What the step's own solution answers."""
    outcome = Inside().finish(job(step, course.find(step).solution.read_text("utf-8"), seed))
    assert behaves(step, seed, outcome)
    return outcome


@functools.cache
def _rubric(step: str) -> Rubric:
    return load.rubric(course.find(step))


@functools.cache
def drawn(step: str, seed: int) -> Drawn:
    """The trials, and what is right."""
    return draw(_rubric(step), seed).calculate()
