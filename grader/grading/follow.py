"""Follows a failing program beside the reference, and says where its numbers leave the path.

Both run once more on the inputs of the first trial that failed, each in a worker of its own. What
is said comes from the learner's process: it explains, and never decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from grader.base.blanks import regions
from grader.base.model import Step, Trace
from grader.grading.relations import TooMuch
from grader.grading.run import Run
from grader.grading.telling import Teller
from grader.grading.trace import Comparison
from grader.protocol.probe import Job, Load, Observation, SeenArray, SeenTensor
from grader.rubric import Evidence, Rubric

if TYPE_CHECKING:
    from grader import sandbox

Start = Callable[..., "sandbox.Worker"]


def follow(
    step: Step, rubric: Rubric, job: Job, evidence: Evidence, start: Start, *, whole: bool = False
) -> Trace | None:
    """Where the program of ``job`` leaves the reference's path; None where nothing can be said.

    ``whole`` follows a program even where every trial is right.
    """
    trial = _first_wrong(evidence)
    if trial is None and whole:
        trial = next((n for n, t in evidence.trials.items() if not t.part and t.expect), None)
    if trial is None:
        return None
    solution = step.solution.read_text(encoding="utf-8")
    mine = _observed(job, trial, start)
    right = _observed(replace(job, file=step.solution.name, source=solution), trial, start)
    if mine is None or right is None or mine.trail is None or right.trail is None:
        return None
    probe = evidence.trials[trial].probe
    given = [
        array for one in probe.actions if isinstance(one, Load) for array in one.weights.values()
    ]
    comparison = Comparison(Run(job.source, mine.trail), Run(solution, right.trail), given)
    teller = Teller(comparison, regions(solution), rubric.values(), rubric.sentences())
    try:
        with np.errstate(all="ignore"):  # the numbers are a learner's
            if mine.error is not None and mine.error.line is not None:
                return teller.raised(mine.error)
            return teller.departed(*_result(evidence, trial, mine, comparison))
    except TooMuch:
        return None


def _first_wrong(evidence: Evidence) -> str | None:
    """The first trial of the whole program, or else of a part, that is wrong or raised."""
    wrong = [
        name
        for name, trial in evidence.trials.items()
        if name in evidence.outcome.observations
        and trial.expect is not None
        and not evidence.right(name)
    ]
    wrong.sort(key=lambda name: evidence.trials[name].part)
    return next(iter(wrong), None)


def _observed(job: Job, trial: str, start: Start) -> Observation | None:
    probes = tuple(probe for probe in job.probes if probe.name == trial)
    with start(engine=job.engine) as running:
        outcome = running.finish(replace(job, probes=probes, follow=True))
    return outcome.observations.get(trial)


def _result(
    evidence: Evidence, trial: str, mine: Observation, comparison: Comparison
) -> tuple[int | None, int | None]:
    """The first wrong result of the trial among the learner's values, and the right one."""
    seen = Evidence(
        evidence.trials,
        replace(evidence.outcome, observations={trial: mine}),
        evidence.framework,
        {trial: evidence.expected(trial)},
    )
    for path, want in evidence.expected(trial).items():
        one = seen.seen(trial, path)
        if isinstance(one, SeenTensor | SeenArray) and not seen.close(trial, one.array, want):
            return comparison.mine.last(one.array), comparison.right.holds(want)
    return None, None
