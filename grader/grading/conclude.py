"""From what the worker saw of a file to the report on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from grader import frameworks
from grader.base.model import CheckResult, Diagnosis, Report, Status, Step, Verdict
from grader.grading import excerpt, faults, judge
from grader.grading.diagnose import diagnose
from grader.grading.validation import validated
from grader.rubric import Evidence, Failed
from grader.source import certain, locations
from grader.source.special_methods import MISNAMED, misnamed

if TYPE_CHECKING:
    from grader.frameworks import Framework
    from grader.grading.diagnose import Explanation
    from grader.grading.inputs import Drawn
    from grader.protocol.probe import Outcome
    from grader.rubric import Rubric, Ruling
    from grader.source import Finding, Source


@dataclass(frozen=True)
class Judge:
    """Says what an outcome means, from everything that it is judged by."""

    base: Report
    step: Step
    rubric: Rubric
    source: Source
    strict: bool
    drawn: Drawn
    findings: Mapping[str, Finding]

    _shown: dict[int, Evidence] = field(default_factory=dict, init=False, repr=False)
    """What was made of each outcome, by its identity."""

    def evidence(self, outcome: Outcome) -> Evidence:
        """What an outcome shows, next to what is expected."""
        if id(outcome) not in self._shown:
            known = self.drawn.expected, self.drawn.predicted
            self._shown[id(outcome)] = Evidence(
                self.drawn.trials, outcome, frameworks.current(), *known
            )
        return self._shown[id(outcome)]

    def _failed(self, rulings: Mapping[str, Ruling]) -> frozenset[str]:
        """The checks that found fault with the source, or failed; not that of the result."""
        found = {name for name, one in self.findings.items() if not one.ok}
        found |= {name for name, one in rulings.items() if isinstance(one, Failed)}
        return frozenset(found - {self.rubric.result})

    def wrong(self, outcome: Outcome) -> str:
        """The first thing wrong with an outcome; empty if all is right."""
        rulings = judge.rule_all(self.rubric, self.evidence(outcome))
        failed = (ruling for ruling in rulings.values() if isinstance(ruling, Failed))
        first = next(failed, None)
        if first is not None:
            return first.message or "its result is wrong"
        return "" if outcome.ended == "done" else f"it ended with {outcome.ended}"

    def report(self, outcome: Outcome, without: Sequence[str] = ()) -> Report:
        """What to say about an outcome, for which ``without`` was left to the framework."""
        base = replace(
            self.base,
            isolation=outcome.isolation,
            output=outcome.output,
            loaded=outcome.ended == "done" and outcome.load_error is None,
            left=faults.left_to_framework(outcome, without),
        )
        if outcome.ended == "machine":
            why = "The grader could not run your file"
            return faults.report(base, self.rubric.checks, why, outcome.problem)
        if outcome.starved:
            return faults.starved(base, self.rubric.checks)
        probes = (trial.probe for trial in self.drawn.trials.values())
        outcome = validated(outcome, probes, certain(self.source), self.base.file)
        evidence = self.evidence(outcome)
        rulings = judge.rule_all(self.rubric, evidence)
        right = judge.behaves(rulings)
        explanation = None
        if not right:
            rubric = self.rubric.without_denied(self.source.tree)
            explanation = diagnose(rubric, evidence, self._failed(rulings))
        known = judge.Case(
            self.rubric, self.source, evidence, rulings, self.findings, explanation, self.strict
        )
        checks = judge.settle(known)
        return replace(
            base,
            notes=_notes(outcome, frameworks.current()),
            verdict=_verdict(checks, outcome),
            checks=checks,
            diagnosis=() if right else self._diagnosis(checks, explanation, rulings),
            excerpt=excerpt.cut(evidence, rulings),
        )

    def _diagnosis(
        self,
        checks: tuple[CheckResult, ...],
        explanation: Explanation | None,
        rulings: dict[str, Ruling],
    ) -> tuple[Diagnosis, ...]:
        """What is wrong, as far as it has a name."""
        if (method := misnamed(self.source.tree)) is not None:
            return (Diagnosis(MISNAMED, str(method), method.line),)
        return self._told(checks, explanation) if explanation else _named(rulings)

    def _told(
        self, checks: tuple[CheckResult, ...], explanation: Explanation
    ) -> tuple[Diagnosis, ...]:
        """The mistakes that explain the numbers, each with its place in file and lesson."""
        lines = {check.id: check.line for check in checks}
        lesson = self.step.lesson.relative_to(self.step.root).as_posix()
        found = []
        for one in explanation.mistakes:
            places = (lines[check.id] for check in self.rubric.blamed(one))
            own = locations.place(self.source.tree, one.place) if one.place else None
            line = own or next((place for place in places if place), None)
            section = f'{lesson}, "{self.rubric.lesson(one)}"'
            found.append(Diagnosis(one.id, one.message, line, section))
        return tuple(found)


def _verdict(checks: tuple[CheckResult, ...], outcome: Outcome) -> Verdict:
    if not checks:
        return Verdict.ERROR
    if all(check.status is Status.PASS for check in checks) and outcome.ended == "done":
        return Verdict.PASS
    return Verdict.TIMEOUT if outcome.ended == "timeout" else Verdict.FAIL


def _named(rulings: dict[str, Ruling]) -> tuple[Diagnosis, ...]:
    """The first mistake that a rule names itself."""
    return tuple(
        Diagnosis(ruling.concept, ruling.hint or ruling.message or "", ruling.line)
        for ruling in rulings.values()
        if isinstance(ruling, Failed) and ruling.concept is not None
    )[:1]


def _notes(outcome: Outcome, framework: Framework) -> tuple[str, ...]:
    # Only known notes from the worker: the file could send any text instead.
    known = framework.notes
    return tuple(known[note] for note in known if note in outcome.notes) + (
        (outcome.problem,) if outcome.problem else ()
    )
