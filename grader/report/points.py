"""What a report is worth.

Without a points file each step has 100 points. 70 are for what the program does: all of them if
it is right, 35 if it runs to the end with wrong results, and if it stops at an error those of the
run-time sentences that hold. 30 are for the lesson's sentences on how it is written; what the
untouched stub fulfils counts nothing, and where nothing else is written, there are no points.
A program that stops at an error has at most 34 points.

A TOML file has one table for each step, and in it the points of each check:

.. code-block:: toml

    [s05]
    "*" = 0.5               # the checks not named
    attn-output = 10

    [s07]
    pass = 10               # all or nothing
    late = 0.9              # a late submission keeps nine tenths
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path

from grader.base import course
from grader.base.files import Unusable
from grader.base.model import CheckResult, Kind, Report, Status, Verdict

OTHERS = "*"
PASS, LATE = "pass", "late"
"""In a points file: what a program is worth that passes, when nothing else counts; and the share of
its points that a late submission keeps."""

DOES, WRITTEN = 70, 30
WRONG_RESULTS, WITH_AN_ERROR = 35, 34
"""What a program does at most, if it runs to the end with wrong results; and the most points of one
that stops at an error. The difference to 35 makes an order: right, wrong, error, nothing."""

Number = int | float
"""Points: whole or half."""


@dataclass(frozen=True)
class Part:
    """One thing that has points: what it is, how many there are, how many of them are given."""

    id: str
    message: str
    points: Number
    most: Number


@dataclass(frozen=True)
class Points:
    """The weight of each check of some steps, from a file; other steps have the usual 100.

    ``late`` is the share of its points that a late submission keeps, by step.
    """

    weights: Mapping[str, Mapping[str, Number]] = field(default_factory=dict)
    late: Mapping[str, float] = field(default_factory=dict)

    def of(self, step: str, check: str) -> Number:
        """What a check alone is worth; nothing where checks are not weighed one by one."""
        weights = self.weights.get(step)
        if weights is None or PASS in weights:
            return 0
        return weights.get(check, weights.get(OTHERS, 1))

    def parts(self, report: Report) -> tuple[Part, ...]:
        """What else has points: for each part how many, and how many of them are given."""
        weights = self.weights.get(report.step)
        if weights is None:
            return _usual(report)
        if PASS in weights:
            most = weights[PASS]
            given = most if report.verdict is Verdict.PASS else 0
            return (Part(PASS, "The program passes", given, most),)
        return ()

    def score(self, report: Report, *, late: bool = False) -> Number:
        """The points of a report. A late one keeps the share that the points file says."""
        passed = (check for check in report.checks if check.status is Status.PASS)
        found = sum(self.of(report.step, check.id) for check in passed)
        whole = found + sum(part.points for part in self.parts(report))
        return tidy(whole * self.late.get(report.step, 1.0) if late else whole)

    def most(self, report: Report) -> Number:
        """The points of all checks."""
        return self.most_of(report.step, [check.id for check in report.checks])

    def most_of(self, step: str, checks: list[str]) -> Number:
        """The points that a step with these checks has."""
        weights = self.weights.get(step)
        if weights is None:
            return DOES + WRITTEN
        if PASS in weights:
            return weights[PASS]
        return tidy(sum(self.of(step, check) for check in checks))


def tidy(points: Number) -> Number:
    """Points with two decimals at most, a whole number without a decimal point."""
    points = round(points, 2)
    return int(points) if points == int(points) else points


def _usual(report: Report) -> tuple[Part, ...]:
    free = _free(report.step)
    written = WRITTEN * _share(report, Kind.SOURCE, free)
    if report.verdict is Verdict.PASS:
        does, written = Fraction(DOES), Fraction(WRITTEN)
    elif _right(report):  # and --strict asks for more
        does = Fraction(DOES)
    elif _stopped(report):
        # Some sentences hold for whatever runs. Where nothing is written, nobody has earned them.
        does = WRONG_RESULTS * _share(report, Kind.RUNTIME, free) if written else Fraction(0)
        does = min(does, WITH_AN_ERROR - written)
    else:
        does = Fraction(WRONG_RESULTS)
    return (
        Part("does", "What the program does", int(does), DOES),
        Part("written", "How it is written", int(written), WRITTEN),
    )


def _right(report: Report) -> bool:
    """Whether everything that the program does is right."""
    ran = [check for check in report.checks if check.kind is Kind.RUNTIME]
    return bool(ran) and all(map(_holds, ran))


def _stopped(report: Report) -> bool:
    """Whether the program was not run to its end, or showed no result at all."""
    if report.problem is not None or report.verdict is not Verdict.FAIL:
        return True
    held = any(_holds(check) for check in report.checks if check.kind is Kind.RUNTIME)
    shown = held or report.excerpt is not None or bool(report.diagnosis)
    return not shown or any(check.stopped for check in report.checks)


def _share(report: Report, kind: Kind, free: frozenset[str]) -> Fraction:
    """How much of the sentences of one kind holds, without those that are ``free``."""
    counted = [check for check in report.checks if check.kind is kind and check.id not in free]
    return Fraction(sum(map(_holds, counted)), len(counted)) if counted else Fraction(0)


def _holds(check: CheckResult) -> bool:
    return check.status is Status.PASS


@cache
def _free(name: str) -> frozenset[str]:
    """The sentences that the untouched stub of a step fulfils."""
    from grader import frameworks
    from grader.base.blanks import make_stub
    from grader.rubric import load
    from grader.source import parse

    step = course.find(name)
    stub = make_stub(step.solution.read_text(encoding="utf-8")).encode()
    source = parse(stub, step.stub.name, frameworks.current().spellings())
    tests = [(check.id, check.test) for check in load.rubric(step).checks if check.test]
    return frozenset(id for id, test in tests if test(source).ok)


def read(path: Path) -> Points:
    """The points that the file at ``path`` gives.

    Raises:
        Unusable: it is not such a file, or names a step or a check that does not exist.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise Unusable(f"The points {path} cannot be read: {problem.strerror}.") from None
    except ValueError as problem:
        raise Unusable(f"The points {path} are not a TOML file: {problem}.") from None
    weights, late = {}, {}
    for name, given in table.items():
        try:
            step = course.find(name)
        except course.UnknownStep as problem:
            raise Unusable(f"{path}: {problem}") from None
        if not isinstance(given, dict):
            raise Unusable(f"{path}: [{name}] should be a table of checks and points.")
        if LATE in given:
            late[step.id] = _kept(path, step.id, given.pop(LATE))
        if given:
            weights[step.id] = _checked(path, step.id, given)
    return Points(weights, late)


def _kept(path: Path, step: str, share: object) -> float:
    if isinstance(share, int | float) and not isinstance(share, bool) and 0 <= share <= 1:
        return float(share)
    raise Unusable(f"{path}: {step}: late is the share that is kept, from 0 to 1.")


def _checked(path: Path, step: str, given: Mapping[str, object]) -> dict[str, Number]:
    from grader.rubric import load

    known = [check.id for check in load.rubric(course.find(step)).checks]
    weights: dict[str, Number] = {}
    for name, points in given.items():
        if name not in (OTHERS, PASS) and name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            guess = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(known)}."
            raise Unusable(f"{path}: {step} has no check {name!r}. {guess}")
        good = isinstance(points, int | float) and not isinstance(points, bool)
        if not good or not 0 <= points <= 1_000_000 or points * 2 != int(points * 2):  # type: ignore[operator]
            raise Unusable(f"{path}: {step}, {name}: points are whole or half numbers, 0 or more.")
        weights[name] = points  # type: ignore[assignment]
    if PASS in weights and len(weights) > 1:
        raise Unusable(f"{path}: {step}: pass is all or nothing. Name no other check beside it.")
    if not Points({step: weights}).most_of(step, known):
        raise Unusable(f"{path}: {step}: no check has any points. Give points to at least one.")
    return weights
