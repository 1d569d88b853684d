"""The checks of a rubric, in the order of the report, and the known mistakes.

A source check reads the syntax tree; a run-time check reads the evidence.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

import numpy as np

from grader.base.model import CheckResult, Kind, Status
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
    ``about`` is the attribute that it is about, with its owners: ``"mlp.c_fc"``; then the line that
    sets it is shown. ``likely`` is such a place that only counts where nothing else tells the line.
    ``concept`` names the mistake if the rule recognises it. ``wrong`` names the
    results, each by trial and path, whose numbers are at fault. ``lacks`` is the name that the
    program does not have and stopped at. ``stopped``: it raised an error there, or was ended.
    ``unset`` is an attribute that the program sets under another name, which the hint tells.
    """

    message: str | None = None
    hint: str | None = None
    line: int | None = None
    detail: str | None = None
    concept: str | None = None
    wrong: tuple[tuple[str, str], ...] = ()
    note: str | None = None
    alone: bool = False
    about: str = ""
    likely: str = ""
    lacks: str = ""
    stopped: bool = False
    unset: str = ""


@dataclass(frozen=True)
class NotRun:
    """The rule could not be tried; ``waits_for`` names a check, if one is known."""

    waits_for: str | None = None


Ruling = Passed | Failed | NotRun
Rule = Callable[[Evidence], Ruling]


@dataclass(frozen=True)
class Check:
    """One line of the report: its sentence on success, its sentence on failure.

    ``test`` reads the syntax tree, ``rule`` the running program; a check has one of them. ``nudge``
    is its first hint. The second says ``why`` the check exists, and which section of the lesson
    explains more. The third is ``answer``: the solution's own lines of ``blank``, unless the rubric
    gives another. The blank is the one with the check's name, unless it names another.
    ``gives`` names the value of the blank's last line.

    ``part`` names the parts of the program that it is about, if that is not its id: see
    :class:`Misconception`. ``proven_by`` names trials, or run-time checks, whose success proves
    this part of the program right however it is written; those of ``left_open_by`` are about it as
    well, and if one of them fails, nothing is proven. ``needs`` names the run-time checks that
    this one waits for until they pass.
    """

    id: str
    passed: str
    failed: str
    nudge: str
    why: str
    _: KW_ONLY
    lesson: str = "Tasks"
    blank: str = ""
    answer: str = ""
    gives: str = ""
    part: str | tuple[str, ...] = ()
    test: SourceTest | None = None
    rule: Rule | None = None
    needs: tuple[str, ...] = ()
    proven_by: tuple[str, ...] = ()
    left_open_by: tuple[str, ...] = ()

    @property
    def kind(self) -> Kind:
        """Whether it reads the syntax tree or the running program."""
        return Kind.SOURCE if self.test is not None else Kind.RUNTIME

    @property
    def read(self) -> str:
        """Where to read."""
        return f'See "{self.lesson}".'

    @property
    def hints(self) -> tuple[str, ...]:
        """A nudge, the place in the lesson, and nearly the answer, if available."""
        place = f"{self.why} {self.read}"
        return (self.nudge, place, self.answer) if self.answer else (self.nudge, place)

    @property
    def after(self) -> tuple[str, ...]:
        """The hints beside a mistake that has a name: only where to read, and nearly the answer."""
        return (self.read, *self.hints[2:])

    def waiting(self, sentence: str, note: str = "") -> CheckResult:
        """The result while it waits for what ``sentence`` says."""
        return CheckResult(
            self.id,
            self.kind,
            Status.NOT_RUN,
            self.passed,
            note=note or f"Waits for: {sentence}",
            waits_for=sentence,
        )

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the program that it is about."""
        named = (self.part,) if isinstance(self.part, str) else self.part
        return named or (self.id,)


LEFT_OUT = frozenset(("absent", "ignored", "missing", "no", "none"))
"""What a knob is turned to that leaves its step out of the formula."""


@dataclass(frozen=True)
class Misconception:
    """A mistake as a formula: the oracle with some knobs turned.

    ``part`` names the part of the program that it breaks. ``instead`` says that none of the
    program's parts can be seen in its result, right or wrong. ``place`` is where such a mistake
    is written, as ``Failed.about`` says it. A program in which the regular expression ``unless``
    is found has another mistake, which gives the same numbers.
    """

    id: str
    message: str
    knobs: Mapping[str, Any]
    part: str
    instead: bool = False
    place: str = ""
    unless: str = ""

    @property
    def leaves_out(self) -> bool:
        """Whether the formula does without the step, so that it may be said to be missing."""
        return any(
            isinstance(one, str) and (one in LEFT_OUT or one.startswith("no_"))
            for one in self.knobs.values()
        )


@dataclass(frozen=True)
class Rubric:
    """Everything the grader knows about one step.

    ``result`` names the run-time check that fails for a mistake in a part that no other
    run-time check is about. ``gives`` names the values of blanks that no check is about.
    ``guided``: a first hint says what to write, and stays when the mistake has a name.
    """

    checks: tuple[Check, ...]
    draw: Callable[[np.random.Generator], Iterable[Trial]]
    misconceptions: tuple[Misconception, ...] = ()
    result: str = ""
    gives: Mapping[str, str] = field(default_factory=dict)
    guided: bool = False

    def without_denied(self, program: ast.Module) -> Rubric:
        """The rubric without the mistakes that a program does not have, as its code shows."""
        text = ast.unparse(program) if any(one.unless for one in self.misconceptions) else ""
        kept = (m for m in self.misconceptions if not (m.unless and re.search(m.unless, text)))
        return replace(self, misconceptions=tuple(kept))

    def blamed(self, mistake: Misconception) -> tuple[Check, ...]:
        """The checks that this mistake breaks, in the order of the report."""
        about = [check for check in self.checks if mistake.part in check.parts]
        if not any(check.rule for check in about):
            about += [check for check in self.checks if check.id == self.result]
        return tuple(about)

    def lesson(self, mistake: Misconception) -> str:
        """The heading of the lesson's section on this mistake."""
        return self.blamed(mistake)[0].lesson

    def values(self) -> dict[str, str]:
        """Blank to what its value is called, where it has a name."""
        return {**self.gives, **{one.blank: one.gives for one in self.checks if one.gives}}

    def sentences(self) -> dict[str, str]:
        """Blank to the sentence of the first check that is about it."""
        return {one.blank: one.passed for one in reversed(self.checks) if one.blank}
