"""Both programs on one trial, for the search for a change that helps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from grader.base.model import Step
from grader.grading.relations import TooMuch
from grader.grading.run import Run
from grader.grading.trace import Comparison, Departure
from grader.protocol.probe import Job, Load, Observation, SeenArray, SeenTensor
from grader.rubric import Evidence

if TYPE_CHECKING:
    from grader import sandbox

Start = Callable[..., "sandbox.Worker"]


@dataclass(frozen=True)
class Followed:
    """Both programs on the inputs of one trial. ``solution`` is the reference's text.

    ``line`` is where the learner's raised an error, else ``result`` its first wrong result.
    """

    comparison: Comparison
    solution: str
    line: int | None
    result: int | None

    def departures(self) -> tuple[Departure, ...]:
        """Where the values leave the path; none where that cannot be said.

        Of a program that raised an error: where the values of that line come from.
        """
        found: dict[int, Departure] = {}
        results = [self.result] if self.result is not None else self._at_the_error()
        try:
            with np.errstate(all="ignore"):
                for result in results:
                    found |= {one.node: one for one in self.comparison.departures(result)}
                if not found and self.result is not None:
                    found |= self._too_early(self.result)
                for result in results if self.line is not None else ():
                    strict = self.comparison.departures(result, parts=False)
                    found |= {one.node: one for one in strict}
        except TooMuch:
            return ()
        return tuple(found.values())

    def _too_early(self, result: int) -> dict[int, Departure]:
        """The last place of a result that the reference has too, as a step on its way."""
        places = [place for place in self.comparison.mine.places if place.value == result]
        if not places or not self.comparison.known(result):
            return {}
        return {places[-1].node: Departure(places[-1].node, result, (result,))}

    def _at_the_error(self) -> list[int]:
        """The values that the line of the error used, in the end."""
        mine = self.comparison.mine
        found: dict[int, int] = {}
        for place in mine.places:
            if mine.line(place.node) == self.line:
                found[place.node] = place.value
        return list(dict.fromkeys(found.values()))


def followed(
    step: Step,
    job: Job,
    evidence: Evidence,
    start: Start,
    trial: str | None = None,
    *,
    whole: bool = False,
    together: float = 0.0,
) -> tuple[Followed | None, float]:
    """Both programs on a trial, by default the first wrong; None if there is nothing to follow.

    Returns also the processor time of both, in seconds. ``together`` runs them in one worker, for
    at most so many seconds. That saves a tenth of a second, and has the learner's code in one
    process with the reference.
    """
    trial = trial or _first_wrong(evidence)
    if trial is None and whole:
        trial = next((n for n, t in evidence.trials.items() if not t.part and t.expect), None)
    if trial is None:
        return None, 0.0
    solution = step.solution.read_text(encoding="utf-8")
    run = _both if together else _each
    mine, right, spent = run(replace(job, seconds=together), trial, solution, start)
    if mine is None or right is None or mine.trail is None or right.trail is None:
        return None, spent
    probe = evidence.trials[trial].probe
    given = [
        array for one in probe.actions if isinstance(one, Load) for array in one.weights.values()
    ]
    comparison = Comparison(Run(job.source, mine.trail), Run(solution, right.trail), given)
    line = mine.error.line if mine.error is not None else None
    result = None
    if line is None:
        with np.errstate(all="ignore"):
            result = _result(evidence, trial, mine, comparison)
    return Followed(comparison, solution, line, result), spent


def _first_wrong(evidence: Evidence) -> str | None:
    """The first trial of the whole program that is wrong or raised."""
    for name, trial in evidence.trials.items():
        ran = name in evidence.outcome.observations
        if ran and not trial.part and trial.expect is not None and not evidence.right(name):
            return name
    return None


def _each(
    job: Job, trial: str, solution: str, start: Start
) -> tuple[Observation | None, Observation | None, float]:
    """What both programs did on one trial, and the processor time that it took."""
    mine, spent = _observed(job, trial, start)
    right, more = _observed(replace(job, file="solution.py", source=solution), trial, start)
    return mine, right, spent + more


def _observed(job: Job, trial: str, start: Start) -> tuple[Observation | None, float]:
    """What a program did on one trial, and the processor time that it took."""
    probes = tuple(probe for probe in job.probes if probe.name == trial)
    with start(engine=job.engine) as running:
        outcome = running.finish(replace(job, probes=probes, follow=True))
    return outcome.observations.get(trial), outcome.spent


def _both(
    job: Job, trial: str, solution: str, start: Start
) -> tuple[Observation | None, Observation | None, float]:
    """What both programs did on one trial in one worker, and the processor time that it took."""
    probe = next(probe for probe in job.probes if probe.name == trial)
    other = replace(probe, name=f"{trial} of the solution", source=solution)
    with start(engine=job.engine) as running:
        outcome = running.finish(replace(job, probes=(probe, other), follow=True))
    seen = outcome.observations
    return seen.get(trial), seen.get(other.name), outcome.spent


def _result(
    evidence: Evidence, trial: str, mine: Observation, comparison: Comparison
) -> int | None:
    """The value that is the first wrong result of the trial."""
    seen = Evidence(
        evidence.trials,
        replace(evidence.outcome, observations={trial: mine}),
        evidence.framework,
        {trial: evidence.expected(trial)},
    )
    for path, want in evidence.expected(trial).items():
        one = seen.seen(trial, path)
        if isinstance(one, SeenTensor | SeenArray) and not seen.close(trial, one.array, want):
            return comparison.mine.last(one.array)
    return None
