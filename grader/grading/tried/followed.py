"""Both programs on one trial, for the search for a change that helps."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.base.model import Step
from grader.grading.following.follow import Start, compared, together, wrong_result
from grader.grading.following.relations import TooMuch
from grader.grading.following.trace import Comparison, Departure
from grader.protocol.probe import Job
from grader.rubric import Evidence


@dataclass(frozen=True)
class Followed:
    """Both programs on the inputs of one trial.

    ``line`` is where the learner's raised an error, else ``result`` its first wrong result.
    """

    comparison: Comparison
    line: int | None
    result: int | None

    def departures(self) -> tuple[Departure, ...]:
        """Where the values leave the path; none where that cannot be said.

        Of a program that raised an error: where the values of that line come from.
        """
        found: dict[int, Departure] = {}
        results = [self.result] if self.result is not None else self._at_the_error()
        try:
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
    step: Step, job: Job, evidence: Evidence, start: Start, trial: str, seconds: float
) -> Followed | None:
    """Both programs on a trial, in one worker; None if there is nothing to follow.

    Both take at most ``seconds`` of processor time.
    """
    solution = step.solution.read_text(encoding="utf-8")
    probes = (evidence.trials[trial].probe,)
    asked = replace(job, probes=probes, seconds=seconds, follow=True)
    programs = together(asked, solution, start)
    mine, right = (one.get(trial) for one in programs)
    comparison = compared((job.source, mine), (solution, right), evidence.trials[trial])
    if comparison is None or mine is None:
        return None
    if mine.error is not None and mine.error.line is not None:
        return Followed(comparison, mine.error.line, None)
    result, _ = wrong_result(evidence, trial, mine, comparison)
    return Followed(comparison, None, result)
