"""Collapses cascading failures: the checks that fail because of another one wait for it.

A class of another name fails every check that looks into it, and a missing import every check that
runs the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from grader.base.model import CheckResult, Status
from grader.rubric import Check, Failed, Misconception, Rubric, Ruling
from grader.source import Finding


def unbound(findings: Mapping[str, Finding], rulings: Mapping[str, Ruling]) -> dict[str, Finding]:
    """The findings; an import is none if the program stops at the name that it should bring."""
    gone = {ruling.lacks for ruling in rulings.values() if isinstance(ruling, Failed)}
    found = {}
    for id, finding in findings.items():
        names = finding.brings & gone
        collapsed = f"nothing in the file is called {min(names)}" if names else None
        found[id] = (
            Finding(False, finding.line, collapsed, certain=True, there=True, lacks=names)
            if names
            else finding
        )
    return found


def missing(
    rubric: Rubric, findings: Mapping[str, Finding], results: Sequence[CheckResult]
) -> dict[str, str]:
    """Each name that a ❌ says is not there, and the sentence of its check."""
    failed = {result.id for result in results if result.status is Status.FAIL}
    return {
        name: check.passed
        for check in reversed(rubric.checks)
        if check.id in failed and check.id in findings
        for name in findings[check.id].lacks
    }


def collapsed(
    rubric: Rubric,
    findings: Mapping[str, Finding],
    rulings: Mapping[str, Ruling],
    results: Sequence[CheckResult],
    *,
    at_import: bool = False,
    complete: bool = False,
) -> list[CheckResult]:
    """The results; where one only follows from another, it waits for that.

    ``at_import``: an import statement raised an error, which says more than that it is missing.
    ``complete``: the file has no open task, and raised an error before anything could be called.
    Then that error goes first, unless it is about a name that a ❌ says is not there.
    """
    named = missing(rubric, findings, results)
    pairs = list(zip(rubric.checks, results, strict=True))
    waits: dict[str, str] = {}
    others = _renamed(rubric, rulings)
    for check, result in pairs:
        finding = findings.get(check.id) if result.status is Status.FAIL else None
        unset = finding.unset if finding is not None else ""
        lacks = _lacks(check, findings, rulings) or _called(rulings.get(check.id), named)
        if sentence := named.get(lacks) or others.get(unset):
            waits[check.id] = sentence
    failed = [c for c, one in pairs if one.status is Status.FAIL and c.id not in waits]
    running = next((check.passed for check in failed if check.rule), None)
    for check in failed:
        finding = findings.get(check.id)
        if running is None or finding is None:
            continue
        if finding.absent or complete or (at_import and finding.lacks):
            waits[check.id] = running
    moved = {check.passed: waits[check.id] for check in rubric.checks if check.id in waits}
    found = []
    for check, result in pairs:
        sentence = waits.get(check.id) or moved.get(result.waits_for or "")
        found.append(check.waiting(sentence) if sentence else result)
    return found


def explained(
    rubric: Rubric,
    rulings: Mapping[str, Ruling],
    mistakes: Sequence[Misconception],
    results: Sequence[CheckResult],
) -> list[CheckResult]:
    """The results; an option whose numbers are wrong by mistakes in other parts waits for these.

    What is right without options is tried with several at once. ``mistakes`` explain all numbers.
    """
    pairs = list(zip(rubric.checks, results, strict=True))
    failed = [check for check, one in pairs if one.status is Status.FAIL and check.rule]
    blamed = {check.id for one in mistakes for check in rubric.blamed(one)}
    first = next((check for check in failed if check.id in blamed), None)
    found = []
    for check, result in pairs:
        ruling = rulings.get(check.id)
        numbers = isinstance(ruling, Failed) and bool(ruling.wrong) and not ruling.stopped
        option = rubric.result in check.needs and check.id not in blamed and check in failed
        follows = first is not None and numbers and option
        found.append(check.waiting(first.passed) if first is not None and follows else result)
    return found


def in_turn(
    rubric: Rubric,
    findings: Mapping[str, Finding],
    results: Sequence[CheckResult],
    unfilled: Sequence[range],
) -> list[CheckResult]:
    """The results; once a task is done, the open ones wait for the first of them.

    Open is what is not there yet in a function that has a placeholder, of those ``unfilled``. If
    the first that would be told is in a later function than the first placeholder, such ones wait
    for the placeholders.
    """
    pairs = list(zip(rubric.checks, results, strict=True))

    def is_open(line: int | None) -> bool:
        return line is not None and any(line in one for one in unfilled)

    missing = [
        check
        for check, one in pairs
        if (finding := findings.get(check.id)) is not None
        and one.status is Status.FAIL
        and check.id != "placeholders"  # it lists them all
        and not (finding.ok or finding.there)
        and is_open(one.line)
    ]
    failed = [(check, one.line) for check, one in pairs if one.status is Status.FAIL]
    if later := _later(failed, missing, findings, unfilled):
        sentence, others = later
        return [check.waiting(sentence) if check in others else one for check, one in pairs]
    done = any(check.needs and check.rule and one.status is Status.PASS for check, one in pairs)
    if len(missing) < 2 or not done:
        return list(results)
    first, *others = missing
    return [check.waiting(first.passed) if check in others else one for check, one in pairs]


def _later(
    failed: Sequence[tuple[Check, int | None]],
    missing: Sequence[Check],
    findings: Mapping[str, Finding],
    unfilled: Sequence[range],
) -> tuple[str, list[Check]] | None:
    """The sentence on placeholders, and what is missing in functions after the first of them.

    None if none of these would be told first. Imports go before everything.
    """
    if any(findings[check.id].lacks for check, _ in failed if check.id in findings):
        return None
    lines = [(check, line) for check, line in failed if line is not None]
    for empty, first in lines:
        if empty.id == "placeholders":
            after = [one for one in unfilled if one.start > first]
            found = [c for c, line in lines if c in missing and any(line in one for one in after)]
            return (empty.passed, found) if lines[0][0] in found else None
    return None


def _renamed(rubric: Rubric, rulings: Mapping[str, Ruling]) -> dict[str, str]:
    """Each attribute that is there under another name, and the sentence of the check on it."""
    every = ((check, rulings.get(check.id)) for check in rubric.checks)
    return {r.unset: check.passed for check, r in every if isinstance(r, Failed) and r.unset}


def _lacks(check: Check, findings: Mapping[str, Finding], rulings: Mapping[str, Ruling]) -> str:
    """The name without which nothing can be said about ``check``; empty if there is none."""
    if check.id in findings:
        return findings[check.id].absent
    ruling = rulings[check.id]
    return ruling.lacks if isinstance(ruling, Failed) else ""


def _called(ruling: Ruling | None, names: Iterable[str]) -> str:
    """Which of these names the error of a ruling is about: it is imported from somewhere else."""
    said = (ruling.message or "") if isinstance(ruling, Failed) and ruling.stopped else ""
    return next((one for one in names if re.match(rf"{re.escape(one)}\b", said)), "")
