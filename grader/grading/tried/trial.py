"""Runs many edited programs on the cheapest trial that fails, in one worker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.grading import judge
from grader.grading.following.follow import Start
from grader.protocol.probe import Job, Observation, Outcome
from grader.rubric import Evidence, Failed, Rubric


@dataclass(frozen=True)
class Trials:
    """The trials that tell a right program from this wrong one: cheap, and few."""

    rubric: Rubric
    evidence: Evidence
    names: tuple[str, ...]
    exact: bool

    def helped(self, outcome: Outcome, number: int) -> bool:
        """Whether the ``number``-th program is right where the learner's is not."""
        seen = _seen(outcome, number, self.names)
        if len(seen) < len(self.names):
            return False
        evidence = _with(self.evidence, seen, only=self.exact)
        if self.exact:
            return all(evidence.right(name) for name in self.names)
        return _failures(self.rubric, evidence) < _failures(self.rubric, self.evidence)


def choose(rubric: Rubric, evidence: Evidence) -> Trials:
    """One wrong trial; if no numbers are wrong, all trials without an oracle."""
    wrong = _wrong(evidence)
    if wrong:
        return Trials(rubric, evidence, (_small(evidence, wrong),), True)
    rest = tuple(name for name, trial in evidence.trials.items() if trial.expect is None)
    return Trials(rubric, evidence, rest, False)


def telling(evidence: Evidence) -> str | None:
    """The wrong trial to follow: one that ran, with weights of its own if any has."""
    names = [name for name in _wrong(evidence) if name in evidence.outcome.observations]
    names = [name for name in names if evidence.weights(name)] or names
    return _small(evidence, names) if names else None


def _wrong(evidence: Evidence) -> list[str]:
    """The trials of the whole program that are wrong."""
    return [
        name
        for name, trial in evidence.trials.items()
        if trial.expect is not None and not trial.part and not evidence.right(name)
    ]


def _small(evidence: Evidence, names: Sequence[str]) -> str:
    """Of the trials that do least, a small one, but not the smallest, which may show little."""
    least = min(len(evidence.trials[name].probe.actions) for name in names)
    few = [name for name in names if len(evidence.trials[name].probe.actions) == least]
    return sorted(few, key=lambda name: _size(evidence, name))[(len(few) - 1) // 3]


def run(
    trials: Trials, job: Job, sources: Sequence[str], seconds: float, start: Start
) -> list[int]:
    """Which of these programs help, by their numbers."""
    if not trials.names or not sources:
        return []
    probes = tuple(
        replace(trials.evidence.trials[name].probe, name=_named(number, name), source=source)
        for number, source in enumerate(sources)
        for name in trials.names
    )
    with start(engine=job.engine) as running:
        outcome = running.finish(replace(job, source="", probes=probes, seconds=seconds))
    return [number for number in range(len(sources)) if trials.helped(outcome, number)]


def _named(number: int, trial: str) -> str:
    """The name of a trial that is run on the ``number``-th program."""
    return f"{number}.{trial}"


def _seen(outcome: Outcome, number: int, names: Sequence[str]) -> Mapping[str, Observation]:
    """What the ``number``-th program answered."""

    def answers() -> Iterator[tuple[str, Observation]]:
        for name in names:
            if (one := outcome.observations.get(_named(number, name))) is not None:
                yield name, replace(one, probe=name)

    return dict(answers())


def _with(evidence: Evidence, seen: Mapping[str, Observation], *, only: bool) -> Evidence:
    """The evidence with these observations in place of the learner's, or with ``only`` these."""
    before = {} if only else evidence.outcome.observations
    return replace(evidence, outcome=Outcome("done", {**before, **seen}))


def _failures(rubric: Rubric, evidence: Evidence) -> int:
    rulings = judge.rule_all(rubric, evidence).values()
    return sum(isinstance(one, Failed) for one in rulings)


def _size(evidence: Evidence, name: str) -> int:
    weights = evidence.weights(name).values()
    return sum(array.size for array in (*weights, *evidence.expected(name).values()))
