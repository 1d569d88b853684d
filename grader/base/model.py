"""The frozen values that the parts of the grader exchange: steps, results and the report."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Kind(StrEnum):
    """What a check looks at: the syntax tree, or what the program does."""

    SOURCE = "source"
    RUNTIME = "runtime"


LEVELS = 3
"""How many hints a check has: a nudge, the place in the lesson, nearly the answer."""


class Status(StrEnum):
    """The outcome of one check. There is no fifth state."""

    PASS = "pass"
    FAIL = "fail"
    NOT_RUN = "not_run"
    ERROR = "error"


class Verdict(StrEnum):
    """The outcome of the file. Only ``ERROR`` is the grader's fault, and it costs nothing."""

    PASS = "pass"
    FAIL = "fail"
    TIMEOUT = "timeout"
    ERROR = "error"


@dataclass(frozen=True)
class Step:
    """One step of a course, as ``course.toml`` lists it. ``course`` is that course's slug.

    ``reuses`` are the steps whose result a learner may import although the reference does not.
    """

    id: str
    title: str
    root: Path
    course: str
    reuses: tuple[str, ...] = ()

    @property
    def number(self) -> str:
        """The two digits of the step: ``"05"`` for ``s05``."""
        return self.id.removeprefix("s")

    @property
    def stub(self) -> Path:
        """The learner's file."""
        return self.root / "steps" / f"step_{self.number}.py"

    @property
    def lesson(self) -> Path:
        """The lesson next to the learner's file."""
        return self.root / "steps" / f"step_{self.number}.md"

    @property
    def solution(self) -> Path:
        """The reference that the stub is generated from."""
        return self.root / "solutions" / f"solution_{self.number}.py"


@dataclass(frozen=True)
class CheckResult:
    """One line of the report.

    ``line`` is the 1-based line of the learner's file to look at, ``text`` that line, ``column``
    the 1-based character where it begins, or where Python stops reading.
    ``note`` adds what the sentence does not say; ``detail`` is the original error text,
    shown on request. ``waits_for`` is the sentence of the check that decides first. ``stopped``:
    the program raised an error there, or was ended. ``after``: ``line`` is right, and what
    belongs after it is missing.
    """

    id: str
    kind: Kind
    status: Status
    message: str
    hints: tuple[str, ...] = ()
    line: int | None = None
    text: str | None = None
    note: str | None = None
    detail: str | None = None
    waits_for: str | None = None
    stopped: bool = False
    column: int = 1
    after: bool = False

    @property
    def place(self) -> str:
        """Where to look, as a sentence begins: the line, or after it; empty if unknown."""
        where = "After line" if self.after else "Line"
        return f"{where} {self.line}" if self.line is not None else ""


@dataclass(frozen=True)
class Diagnosis:
    """A named mistake that explains every wrong number seen."""

    misconception: str
    message: str
    line: int | None = None
    lesson: str | None = None


Grid = tuple[tuple[float, ...], ...]
"""Rows of numbers, all of the same length."""


@dataclass(frozen=True)
class Excerpt:
    """A window of the first wrong result and of what it should be: two grids of one shape.

    ``check`` is the id of the check that failed on it; ``title`` says whose result it is and
    which part. ``rows`` and ``columns`` are the indices along both dimensions, as text. Numbers
    have six digits; NaN and infinity are kept. They belong to a random draw, so the expected
    ones reveal nothing.
    """

    check: str
    title: str
    expected: Grid
    actual: Grid
    rows: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Margin:
    """What one line of the learner's file computed.

    ``mark``: ``right`` if the reference has this value too, ``left`` where the path is left,
    else ``unknown``. ``name`` is what the lesson calls the value.
    """

    line: int
    shape: str
    mark: str
    name: str = ""


@dataclass(frozen=True)
class Trace:
    """Where a program's numbers leave the path of the reference: in sentences, and line by line.

    ``line`` is where that happens; None, and no sentences, if nothing can be said. ``left_out``:
    that line is right, and the step after it is missing. ``blank`` is what the reference fills in
    at that point, empty if unknown.
    """

    told: tuple[str, ...]
    line: int | None
    margin: tuple[Margin, ...]
    blank: str = ""
    left_out: bool = False


@dataclass(frozen=True)
class Replaced:
    """Lines of the learner's file, from ``line`` on, and what is in their place after a change.

    Without ``old`` lines, the new ones are put in front of ``line``.
    """

    line: int
    old: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True)
class Tried:
    """A small change of the learner's file that was graded, and what it achieves.

    It ``passes`` the step, or else the ``check`` that failed first. Where there was not time for
    all of a long grading, all is ``right`` in so many of its trials, of how many.
    """

    passes: bool
    check: str
    changes: tuple[Replaced, ...]
    right: tuple[int, int] | None = None

    @property
    def holds(self) -> bool:
        """Whether all is right with it, as far as that was looked at."""
        return self.passes or self.right is not None


@dataclass(frozen=True)
class Framed:
    """A line of the learner's file in an explanation; ``number`` is None where one is missing.

    ``mark``: ``right`` or ``wrong`` if the reference has its value, or another; ``change`` for a
    line to change; ``error`` for one that raised an error, else empty. ``fact`` is what was read
    off its value.
    """

    number: int | None
    text: str
    mark: str = ""
    fact: str = ""


@dataclass(frozen=True)
class Explanation:
    """What to fix first, and what is known of it: read off the program's values, or tried.

    ``cause`` says what is wrong, in the lesson's words where these have a name for it. ``line`` is
    the one to change, or with ``after`` the one after which something is missing. ``frame`` shows
    it among lines that were compared, ``facts`` are sentences that were read off the run.
    ``change`` is an edit that was graded; it may be ``shown`` at once if it is no part of the
    lesson. ``said`` is what MAX or Python said, ``lesson`` the section to read. ``settled`` are the
    failing checks that the change settles. ``searched``: whether changes were tried, None until
    that is over. ``hints`` are those of the first ❌, an empty one for what is said here already;
    none where they are about something else. Where nothing is written yet, ``blanks`` are to
    fill, from ``line`` on.
    """

    cause: str
    line: int | None = None
    after: bool = False
    frame: tuple[Framed, ...] = ()
    facts: tuple[str, ...] = ()
    change: Tried | None = None
    shown: bool = False
    said: str = ""
    lesson: str = ""
    settled: tuple[str, ...] = ()
    searched: bool | None = None
    hints: tuple[str, ...] = ()
    blanks: int = 0


@dataclass(frozen=True)
class Report:
    """Everything one grading found. Each output format is a function of it.

    ``problem`` is why the file could not be read or graded at all; then no check was run.
    ``output`` is what the learner's program printed. ``isolation`` is the tier in which the file
    ran, None if it did not run. ``excerpt`` shows the first wrong numbers, if there are
    any; ``digest`` is the SHA-256 of the graded bytes, in hex, empty if they could not
    be read. No report format has these two. ``course`` is the slug of the course. ``left`` says,
    one sentence each, what the grader's engine left to the framework. ``loaded``: it can be
    imported, and whatever was tried on it came to an end. ``explanation`` is there if it was asked
    for and something fails.
    """

    step: str
    title: str
    file: str
    verdict: Verdict
    checks: tuple[CheckResult, ...]
    diagnosis: tuple[Diagnosis, ...] = ()
    seed: int = 0
    engine: str = "numpy"
    isolation: str | None = None
    duration_s: float = 0.0
    output: str = ""
    notes: tuple[str, ...] = ()
    problem: CheckResult | None = None
    excerpt: Excerpt | None = None
    digest: str = ""
    trace: Trace | None = None
    course: str = ""
    left: tuple[str, ...] = ()
    loaded: bool = False
    explanation: Explanation | None = None

    @property
    def first_to_fix(self) -> CheckResult | None:
        """What to fix before anything else; None if nothing fails."""
        if self.problem is not None:
            return self.problem
        return next((check for check in self.checks if check.status is Status.FAIL), None)

    @property
    def score(self) -> int:
        """How many checks passed."""
        return sum(check.status is Status.PASS for check in self.checks)

    @property
    def max_score(self) -> int:
        """How many checks there are."""
        return len(self.checks)
