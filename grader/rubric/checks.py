"""The checks of a rubric, in the order of the report, and the mistakes that it knows.

A source check asks the syntax tree; a run-time check asks the evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from grader.base.model import Kind
from grader.rubric.evidence import Evidence, Trial
from grader.source import SourceTest


@dataclass(frozen=True)
class Passed:
    """The rule holds. ``note`` adds what the check's sentence does not say."""

    note: str | None = None


@dataclass(frozen=True)
class Failed:
    """The rule does not hold. Texts given here precede those of the check.

    ``note`` goes below the line. ``alone``: the check's own hints are about something else.
    ``concept`` names the mistake where the rule itself knows it. ``wrong`` names the results, each
    by trial and path, whose numbers are at fault.
    """

    message: str | None = None
    hint: str | None = None
    line: int | None = None
    detail: str | None = None
    concept: str | None = None
    wrong: tuple[tuple[str, str], ...] = ()
    note: str | None = None
    alone: bool = False


@dataclass(frozen=True)
class NotRun:
    """The rule could not be tried; ``waits_for`` names a check, if one is known."""

    waits_for: str | None = None


Ruling = Passed | Failed | NotRun
Rule = Callable[[Evidence], Ruling]


@dataclass(frozen=True)
class Check:
    """One line of the report: its sentence when it holds, its sentence when it does not.

    ``hints`` go from the first shown to nearly the answer. ``proven_by`` names trials, or run-time
    checks, whose success proves this part of the program right however it is written.
    """

    id: str
    passed: str
    failed: str
    hints: tuple[str, ...]
    source: SourceTest | None = None
    runtime: Rule | None = None
    needs: tuple[str, ...] = ()
    proven_by: tuple[str, ...] = ()
    why: str = ""
    blank: str = ""
    gives: str = ""

    @property
    def kind(self) -> Kind:
        """Whether the syntax tree or the running program is asked."""
        return Kind.SOURCE if self.source is not None else Kind.RUNTIME


@dataclass(frozen=True)
class Misconception:
    """A mistake as a formula: the oracle with some knobs turned.

    ``blames`` names the checks that this mistake breaks, first the one to read first.
    ``lesson`` is the heading of the lesson's section on it. ``instead`` says that nothing of the
    program's parts can be seen in its result, right or wrong.
    """

    id: str
    message: str
    knobs: Mapping[str, Any]
    blames: tuple[str, ...]
    lesson: str = ""
    instead: bool = False


@dataclass(frozen=True)
class Rubric:
    """Everything that the grader knows about one step."""

    checks: tuple[Check, ...]
    draw: Callable[[np.random.Generator], Iterable[Trial]]
    misconceptions: tuple[Misconception, ...] = ()
    lesson: Mapping[str, str] = field(default_factory=dict)


def source_check(
    id: str,
    passed: str,
    failed: str,
    *hints: str,
    test: SourceTest,
    proven_by: tuple[str, ...] = (),
    why: str = "",
) -> Check:
    """A check of the syntax tree."""
    return Check(id, passed, failed, hints, source=test, proven_by=proven_by, why=why)


def runtime_check(
    id: str,
    passed: str,
    failed: str,
    *hints: str,
    rule: Rule,
    needs: tuple[str, ...] = (),
    why: str = "",
) -> Check:
    """A check of what the program does."""
    return Check(id, passed, failed, hints, runtime=rule, needs=needs, why=why)
