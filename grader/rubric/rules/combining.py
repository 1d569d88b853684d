"""Rules of rules, and rules that only add a note."""

from __future__ import annotations

from grader.rubric.checks import Failed, NotRun, Passed, Rule, Ruling
from grader.rubric.evidence import Evidence
from grader.rubric.rules.asking import results_of


def all_of(*rules: Rule) -> Rule:
    """Every rule holds; the first that fails speaks for the check."""

    def rule(evidence: Evidence) -> Ruling:
        notes: list[str] = []
        waiting: NotRun | None = None
        for one in rules:
            match one(evidence):
                case Failed() as failed:
                    return failed
                case NotRun() as not_run:
                    waiting = waiting or not_run
                case Passed(str() as note):
                    notes.append(note)
        return waiting or Passed(" ".join(notes) or None)

    return rule


def note(text: str, *trials: str) -> Rule:
    """Adds ``text`` to a check that passed; ``{count}`` is the number of expected results."""

    def rule(evidence: Evidence) -> Ruling:
        return Passed(text.format(count=sum(1 for _ in results_of(evidence, trials))))

    return rule


def wish(trial: str, note: str) -> Rule:
    """Always holds; ``note`` is added if ``trial`` is not right."""

    def rule(evidence: Evidence) -> Ruling:
        return Passed(None if evidence.right(trial) else note)

    return rule
