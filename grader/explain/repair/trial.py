"""Runs many edited programs on the cheapest trial that fails, in one worker."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.explain.trace.follow import Start
from grader.grading import judge
from grader.protocol.probe import Job, Observation, Outcome, SeenError
from grader.rubric import Evidence, Failed, Passed, Rubric, Trial

FEW = 2
"""Trials on which an edit is looked at more closely, before it is graded."""
LATE = "Late"
"""What a trial is answered with for which there was no time."""
SLOW, QUICK_S = 1.5, 0.005
"""How much longer a trial may take than the quickest, and seconds that always are quick."""


@dataclass(frozen=True)
class Trials:
    """The trials that tell a right program from this wrong one: cheap, and few.

    ``exact``: they have an oracle; ``alone``: a check fails on what they say by themselves.
    """

    rubric: Rubric
    evidence: Evidence
    names: tuple[str, ...]
    exact: bool
    alone: bool = False

    @property
    def few(self) -> bool:
        """Whether a few trials tell a right program from this wrong one."""
        return self.exact or self.alone or len(self.names) == 1

    def helped(self, outcome: Outcome, number: int) -> bool:
        """Whether the ``number``-th program is right where the learner's is not."""
        seen = _seen(outcome, number, self.names)
        if len(seen) < len(self.names):
            return False
        evidence = _alone(self.evidence, seen) if self.alone else self._with(seen)
        if self.exact:
            return all(evidence.right(name) for name in self.names)
        if self.alone:
            return not failures(self.rubric, evidence)
        return failures(self.rubric, evidence) < failures(self.rubric, self.evidence)

    def _with(self, seen: Mapping[str, Observation]) -> Evidence:
        """The evidence with these observations in place of the learner's; of exact ones, alone."""
        before = {} if self.exact else self.evidence.outcome.observations
        return replace(self.evidence, outcome=Outcome("done", {**before, **seen}))


def choose(rubric: Rubric, evidence: Evidence, seconds: Mapping[str, float]) -> Trials:
    """One wrong trial, up to its first wrong result; without one, those without an oracle.

    Of these one is enough on which a check fails by itself.
    It is none of those that take much longer than others; ``seconds`` says how long each took.
    """
    failing = wrong(evidence)
    if failing:
        short = {name: _short(evidence, name) for name in failing}
        within = replace(evidence, trials={**evidence.trials, **short}, _expected={}, _predicted={})

        def takes(name: str) -> float:
            trial = evidence.trials[name] if evidence.error(name) is not None else short[name]
            part = len(trial.probe.actions) / len(evidence.trials[name].probe.actions)
            return seconds.get(name, 0.0) * part

        least = max(QUICK_S, min(map(takes, failing)))
        quick = [name for name in failing if takes(name) <= SLOW * least]
        return Trials(rubric, within, (_small(within, quick),), True)
    every = without_oracle(evidence)
    if not every:  # every number is right, and something else is not: all trials may show it
        return Trials(rubric, evidence, tuple(evidence.outcome.observations), False)
    before = failures(rubric, _alone(evidence, {}))
    for name in sorted(every, key=lambda one: seconds.get(one, 0.0)):
        seen = {one: it for one, it in evidence.outcome.observations.items() if one == name}
        if seen and failures(rubric, _alone(evidence, seen)) > before:
            return Trials(rubric, evidence, (name,), False, alone=True)
    showing = _showing(rubric, evidence, seconds) if before else None
    if showing is not None:
        return Trials(rubric, evidence, (showing,), False)
    return Trials(rubric, evidence, every, False)


def _showing(rubric: Rubric, evidence: Evidence, seconds: Mapping[str, float]) -> str | None:
    """The cheapest trial that a failed check is about, though all numbers of it are right."""
    every = evidence.outcome.observations
    ruled = judge.rule_all(rubric, evidence)
    rules = [one.rule for one in rubric.checks if isinstance(ruled.get(one.id), Failed)]
    for name in sorted(every, key=lambda one: seconds.get(one, 0.0)):
        others = {one: it for one, it in every.items() if one != name}
        without = replace(evidence, outcome=Outcome("done", others))
        if any(rule is not None and not isinstance(rule(without), Failed) for rule in rules):
            return name
    return None


def without_oracle(evidence: Evidence) -> tuple[str, ...]:
    """The trials of which only checks know whether they are right."""
    return tuple(name for name, trial in evidence.trials.items() if trial.expect is None)


def closely(rubric: Rubric, evidence: Evidence) -> Trials:
    """A few of the wrong trials, in full: of those that do least, small ones and larger ones.

    Also two that are right, which an edit may make wrong. Without a wrong one, all trials without
    an oracle.
    """
    failing = sorted(wrong(evidence), key=lambda name: size(evidence, name))
    if not failing:
        return Trials(rubric, evidence, without_oracle(evidence), False)
    failing.sort(key=lambda name: len(evidence.trials[name].probe.actions))
    some = failing[: max(FEW, len(failing) // 2)]
    every = (name for name, one in evidence.trials.items() if not (one.part or one.wished))
    right = sorted(filter(evidence.right, every), key=lambda name: size(evidence, name))
    right = [*right[:1], *right[len(right) // 2 :][:1]]
    names = dict.fromkeys((*some[:: max(1, -(-len(some) // FEW))], *right))
    return Trials(rubric, evidence, tuple(names), True)


def _short(evidence: Evidence, name: str) -> Trial:
    """A trial up to the first of its results that is wrong."""
    probe = evidence.until_wrong(name)
    kept = frozenset(one.name for one in probe.actions)
    expected = evidence.expected(name)
    first = {path: array for path, array in expected.items() if path.split(".")[0] in kept}
    return replace(evidence.trials[name], probe=probe, expect=lambda **_: first)


def first_error(evidence: Evidence) -> SeenError | None:
    """The error that ended the program: at import, else in the first trial that raised one."""
    if evidence.outcome.load_error is not None:
        return evidence.outcome.load_error
    errors = (evidence.error(name) for name, one in evidence.trials.items() if not one.part)
    return next((one for one in errors if one is not None), None)


def names(error: SeenError | None) -> Sequence[str]:
    """The names that were there, where an error says that another was not."""
    return error.about.names if error is not None and error.about is not None else ()


def takes(error: SeenError | None) -> Mapping[str, Sequence[str]]:
    """The names of the parameters of what the line of an error calls, by the text of the callee."""
    seen = error.calls[-1].values if error is not None and error.calls else {}
    return {
        name: [found[0] for text in one.signature if (found := re.match(r"\w+", text))]
        for name, one in seen.items()
        if one.signature
    }


def wrong(evidence: Evidence) -> list[str]:
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
    return sorted(few, key=lambda name: size(evidence, name))[(len(few) - 1) // 3]


def run(
    trials: Trials, job: Job, sources: Sequence[str], seconds: float, start: Start
) -> list[int]:
    """Which of these programs help, by their numbers."""
    if not trials.names or not sources:
        return []
    outcome = ran(trials, job, sources, seconds, start)
    return [number for number in range(len(sources)) if trials.helped(outcome, number)]


def ran(trials: Trials, job: Job, sources: Sequence[str], seconds: float, start: Start) -> Outcome:
    """What these programs answer."""
    probes = tuple(
        replace(trials.evidence.trials[name].probe, name=_named(number, name), source=source)
        for number, source in enumerate(sources)
        for name in trials.names
    )
    with start(engine=job.engine) as running:
        asked = replace(job, source="", probes=probes, seconds=seconds, brief=trials.exact)
        return running.finish(asked)


def errors(trials: Trials, outcome: Outcome, number: int) -> list[SeenError | None]:
    """With what error each trial of the ``number``-th program ended that was run."""
    return [one.error for one in _seen(outcome, number, trials.names).values()]


def late(seen: Observation) -> bool:
    """Whether there was no time for a trial."""
    return seen.error is not None and seen.error.type_name == LATE


def _named(number: int, trial: str) -> str:
    """The name of a trial that is run on the ``number``-th program."""
    return f"{number}.{trial}"


def _seen(outcome: Outcome, number: int, names: Sequence[str]) -> Mapping[str, Observation]:
    """What the ``number``-th program answered."""

    def answers() -> Iterator[tuple[str, Observation]]:
        for name in names:
            one = outcome.observations.get(_named(number, name))
            if one is not None and not late(one):
                yield name, replace(one, probe=name)

    return dict(answers())


def _alone(evidence: Evidence, seen: Mapping[str, Observation]) -> Evidence:
    """The evidence with these observations in place of all without an oracle."""
    before = evidence.outcome.observations
    kept = {name: before[name] for name in before if evidence.trials[name].expect is not None}
    return replace(evidence, outcome=Outcome("done", {**kept, **seen}))


def settled(rubric: Rubric, before: Evidence, evidence: Evidence) -> bool:
    """Whether each check that failed before passes on what was seen now, and none fails.

    One that needs another does not wait for it here: of that, not all may have been seen.
    """
    was, now = judge.rule_all(rubric, before), judge.rule_all(rubric, evidence)
    if any(isinstance(one, Failed) for one in now.values()):
        return False
    failed = {name for name, one in was.items() if isinstance(one, Failed)}
    rules = (one.rule for one in rubric.checks if one.id in failed)
    return all(isinstance(rule(evidence), Passed) for rule in rules if rule is not None)


def failures(rubric: Rubric, evidence: Evidence) -> int:
    """How many checks fail on what was seen."""
    rulings = judge.rule_all(rubric, evidence).values()
    return sum(isinstance(one, Failed) for one in rulings)


def size(evidence: Evidence, name: str) -> int:
    """How many numbers a trial gives a program, as weights, and expects of it."""
    weights = evidence.weights(name).values()
    return sum(array.size for array in (*weights, *evidence.expected(name).values()))
