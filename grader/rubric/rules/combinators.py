"""Rules of rules, and rules that only add a note."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from grader.rubric.checks import Failed, Misconception, NotRun, Passed, Rule, Ruling
from grader.rubric.evidence import Evidence
from grader.rubric.rules.queries import array_at, results_of


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


def once(first: Rule, rule: Rule) -> Rule:
    """``rule``, which waits until ``first`` holds: that is wrong for the same reason."""

    def ruling(evidence: Evidence) -> Ruling:
        return rule(evidence) if isinstance(first(evidence), Passed) else NotRun()

    return ruling


def note(text: str, *trials: str) -> Rule:
    """Adds ``text`` to a check that passed; ``{count}`` is the number of expected results."""

    def rule(evidence: Evidence) -> Ruling:
        return Passed(text.format(count=sum(1 for _ in results_of(evidence, trials))))

    return rule


def placed(rule: Rule, mistakes: Iterable[Misconception], *trials: str) -> Rule:
    """``rule``; if it fails without a line, it is likely at the place of what explains it.

    Explained is what ``mistakes`` predict of every one of ``trials``.
    """
    known = tuple(one for one in mistakes if one.place)

    def located(evidence: Evidence) -> Ruling:
        ruling = rule(evidence)
        if not isinstance(ruling, Failed) or ruling.line is not None or ruling.about:
            return ruling
        names = [name for name in evidence.matching(*trials) if evidence.expected(name)]
        for one in known:
            if names and all(_predicted(evidence, name, one.knobs) for name in names):
                return replace(ruling, likely=one.place)
        return ruling

    return located


def _predicted(evidence: Evidence, trial: str, knobs: Mapping[str, Any]) -> bool:
    """Whether the formula of ``trial`` with these knobs gives what came back."""
    wanted = evidence.predicted(trial, knobs)
    if not wanted:
        return False
    found = {path: array_at(evidence, trial, path) for path in evidence.expected(trial)}
    return all(
        array is not None and path in wanted and evidence.close(trial, array, wanted[path])
        for path, array in found.items()
    )


def wish(trial: str, note: str, *others: str) -> Rule:
    """Always holds; ``note`` is added if ``trial`` ran and is wrong, and all ``others`` are right.

    What is wrong in them as well is not what ``note`` says.
    """

    def rule(evidence: Evidence) -> Ruling:
        ran = trial in evidence.outcome.observations
        alone = ran and all(map(evidence.right, evidence.matching(*others)))
        return Passed(note if alone and not evidence.right(trial) else None)

    return rule


def optional(trial: str, rule: Rule, note: str | None = None) -> Rule:
    """``rule``, or only ``note`` where ``trial`` raised an error: it asks for more than it must."""

    def ruling(evidence: Evidence) -> Ruling:
        return rule(evidence) if evidence.error(trial) is None else Passed(note)

    return ruling
