"""Every graph that MAX stages for many programs, as JSON.

With ``python -m tests.frameworks.staged_graphs plain`` MAX stages and runs as it always does, with
``sooner`` as it does in the grader. Two numbers after that say how many right and wrong variants of
each step to add, and every trial runs. Without them half of the steps come today, with one variant
each, of which every third trial runs, and every second of the solution: the trials of a step differ
in their shapes.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from grader.base import course
from grader.base.model import Step
from grader.frameworks import Runtime
from grader.frameworks.max import engine
from grader.frameworks.max.engine import private, staging
from grader.frameworks.max.runtime import MaxRuntime
from grader.protocol import wire
from grader.protocol.probe import Job
from grader.rubric import load
from tests.graded import variants
from tests.graded.in_process import Inside
from tests.marks import todays


def main(how: str, *counts: str) -> None:
    """Print for each file what it staged and what a worker saw of it."""
    # Only with ours it is known that an error needs no second run: see MaxRuntime.unstaged.
    MaxRuntime.unstaged = Runtime.unstaged  # type: ignore[method-assign]
    if how == "plain":
        staging.install = lambda fault: []
    engine.install("numpy")
    finish = private.FINALIZE.get()  # with ours, what no output needs is still there
    private.FINALIZE.put(getattr(finish, "original", finish))
    graphs = recorded()
    told = {}
    for number, step in enumerate(course.steps() if counts else todays(2, course.steps())):
        right, wrong = map(int, counts) if counts else (number % 2, 1 - number % 2)
        for name, source in programs(step, right, wrong).items():
            seen = observed(step, source, 1 if counts else 2 if name.endswith("/solution") else 3)
            told[name] = {"graphs": graphs[:], "seen": seen}
            graphs.clear()
    json.dump(told, sys.stdout)


def programs(step: Step, right: int, wrong: int) -> dict[str, str]:
    """The step's solution and so many of its variants, by name."""
    chosen = {f"{step.id}/solution": step.solution.read_bytes()}
    for side, count in ((True, right), (False, wrong)):
        known = [one for one in variants.of(step.id, right=side) if not one.fresh]
        chosen |= {one.name: one.source for one in variants.sample(known, count)}
    return {name: source.decode("utf-8-sig") for name, source in chosen.items()}


def recorded() -> list[str]:
    """Filled from now on with a hash of the text of each graph that is executed."""
    from max.experimental import executor
    from max.graph import Module

    graphs: list[str] = []
    ordinary = executor.default_executor()

    class Recording:
        def execute(self, staged: Any, inputs: Sequence[Any]) -> Any:
            text = Module(mlir_module=staged._module)._to_mlir_str()
            graphs.append(hashlib.sha256(text.encode()).hexdigest())
            return ordinary.execute(staged, inputs)

    executor.set_default_executor(Recording())
    return graphs


def observed(step: Step, source: str, every: int) -> dict[str, str]:
    """What a worker would answer about this program, by probe; errors in the clear.

    Of its trials, each ``every``-th runs, the first among them.
    """
    from max.experimental import random

    random.set_seed(0)
    trials = load.rubric(step).draw(np.random.default_rng(5))
    # Step 12 draws fresh numbers there, so that no two runs are alike.
    fresh = ("fresh", "fresh-imported-again")
    probes = tuple(trial.probe for trial in trials if trial.probe.name not in fresh)[::every]
    own = course.load().configuration
    job = Job("file.py", source, course.earlier_modules(step), probes, configuration=own)
    outcome = Inside().finish(job)
    seen = {
        "ended": outcome.ended,
        "import": repr(outcome.load_error and outcome.load_error.message),
        "print": outcome.output,
    }
    for name, observation in outcome.observations.items():
        # The calls inside MAX on the way to an error are not the same.
        error = observation.error and replace(observation.error, chain="")
        told = wire.encode(replace(observation, error=error))
        seen[name] = f"{error} {hashlib.sha256(told).hexdigest()}"
    return seen


if __name__ == "__main__":
    main(*sys.argv[1:])
