"""The class as rows of person, step and result, from which every export of a class is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grader import __version__
from grader.base.model import Report, Verdict
from grader.classroom import table
from grader.classroom.adjustments import NONE, Adjustment
from grader.classroom.collect import Answer
from grader.classroom.roster import Person
from grader.classroom.similarity import Group, Pair
from grader.report.points import Number, Points, tidy
from grader.report.policy import Lateness

MISSING = "missing"
TIMES = ("handed in", "days late", "free days")
"""The gradebook's additional columns for each step if there is a policy."""


@dataclass(frozen=True)
class Row:
    """What one person handed in for one step, and its result; no report if it is missing.

    ``adjusted`` is the teacher's change of the points, ``code`` the program as text, and ``again``
    whether this run graded it although there was a result. ``lateness`` follows from a policy.
    """

    answer: Answer | None
    report: Report | None
    adjusted: Adjustment = NONE
    code: str = field(default="", repr=False)
    again: bool = False
    lateness: Lateness | None = None

    @property
    def verdict(self) -> str:
        """``pass``, ``fail``, ``timeout``, ``error``, or ``missing``."""
        return self.report.verdict.value if self.report else MISSING

    @property
    def late_note(self) -> str:
        """What being late costs; empty without a policy, or if it was in time."""
        late = self.lateness is not None and self.answer is not None and self.answer.late
        return self.lateness.note if late and self.lateness else ""

    @property
    def counts(self) -> bool:
        """Whether there is a score: errors of the grader have none."""
        return self.report is not None and self.report.verdict is not Verdict.ERROR


@dataclass(frozen=True)
class Gradebook:
    """Everyone's rows.

    ``titles`` are those of the steps, in order; ``sentences`` the id and sentence of each step's
    checks; ``most`` the points of all of them together. ``similar`` are answers with the same
    shape, ``nearly`` those with much in common. ``possible`` has the points that the roster gives
    for its columns; ``columns`` are those that the teacher named for steps. ``policy`` is the name
    of the file that says when steps are due. ``known`` are the course's own sentences on mistakes,
    by step.
    """

    titles: Mapping[str, str]
    sentences: Mapping[str, Sequence[tuple[str, str]]]
    people: tuple[Person, ...]
    rows: Mapping[tuple[str, str], Row]
    points: Points
    most: Mapping[str, Number]
    skipped: tuple[str, ...] = ()
    roster: bool = False
    similar: tuple[Group, ...] = ()
    nearly: tuple[Pair, ...] = ()
    possible: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    policy: str = ""
    known: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def row(self, person: Person, step: str) -> Row:
        """Return a person's row for a step."""
        return self.rows[person.name, step]

    def score(self, row: Row) -> Number | None:
        """Return the points; 0 if missing, None if the grader failed, or what the teacher says.

        A better earlier submission counts instead.
        """
        now, least = self._now(row), row.adjusted.least
        if least is None or now is None or now >= least:
            return now
        return tidy(least)

    def grade(self, row: Row) -> Number | None:
        """Return the points to report: None if nothing was handed in and the teacher gave none."""
        return self.score(row) if row.report is not None or row.adjusted.counts else None

    def _now(self, row: Row) -> Number | None:
        if row.adjusted.points is not None:
            return tidy(row.adjusted.points + row.adjusted.bonus)
        if row.report is None:
            return tidy(row.adjusted.bonus)
        if not row.counts:
            return None
        late = row.answer is not None and row.answer.late
        if row.lateness is None or row.lateness.when is None:
            points = self.points.score(row.report, late=late)
        else:
            points = self.points.score(row.report) * row.lateness.kept
        return tidy(points + row.adjusted.bonus)

    def note(self, row: Row) -> str:
        """Say what the teacher should know about a row."""
        best = row.adjusted.least is not None and self.score(row) != self._now(row)
        said = [row.answer.note if row.answer else "", row.late_note, row.adjusted.note]
        said += ["graded again" if row.again else ""]
        said += [f"best of: {row.adjusted.before}" if best else ""]
        return "; ".join(filter(None, said))

    def unlisted(self) -> list[Person]:
        """Return those who handed something in but are not on the roster."""
        return [person for person in self.people if not person.listed]


def first_problem(report: Report) -> str:
    """Say what to fix first, in one sentence; empty if all is right."""
    if report.first_to_fix is not None:
        return report.first_to_fix.message
    return report.notes[0] if report.verdict is Verdict.ERROR and report.notes else ""


def first_of(row: Row) -> str:
    """Say what to fix first, or what was handed in instead; empty if neither applies."""
    if row.report is not None:
        return first_problem(row.report)
    return row.answer.problem if row.answer else ""


def as_csv(book: Gradebook) -> str:
    """Return the gradebook: a line for each person, with a byte order mark for spreadsheets."""
    header = ["student"]
    for step in book.titles:
        header += [
            f"{step} {what}" for what in ("verdict", "points", "of", "late", "first problem")
        ]
        header += [f"{step} mistake", f"{step} file", f"{step} note"]
        header += [f"{step} {what}" for what in TIMES] if book.policy else []
    header += ["points", "of", "percent"] + (["on roster"] if book.roster else [])
    header += ["grader"]
    return "\ufeff" + table.render(header, (_line(book, person) for person in book.people))


def _line(book: Gradebook, person: Person) -> list[table.Cell]:
    cells: list[table.Cell] = [person.name]
    scores: list[Number | None] = []
    for step in book.titles:
        row = book.row(person, step)
        score = book.score(row)
        scores.append(score)
        cells += [row.verdict, score, book.most[step], _late(row)]
        cells += [first_of(row), _mistakes(row)]
        cells += [row.answer.origin if row.answer else "", book.note(row)]
        cells += _times(row) if book.policy else []
    known = [score for score in scores if score is not None]
    whole = sum(book.most.values())
    complete = len(known) == len(scores)
    percent = round(100 * sum(known) / whole, 1) if complete and whole else None
    cells += [sum(known) if complete else None, whole, percent]
    cells += ["yes" if person.listed else "no"] if book.roster else []
    return [*cells, __version__]


def _times(row: Row) -> list[table.Cell]:
    if row.lateness is None or row.lateness.when is None:
        return ["", "", ""]
    when = row.lateness.when.isoformat(sep=" ", timespec="seconds")
    return [when, row.lateness.days, row.lateness.free]


def _late(row: Row) -> str:
    return "late" if row.answer and row.answer.late else ""


def _mistakes(row: Row) -> str:
    found: Sequence[str] = (
        [each.misconception for each in row.report.diagnosis] if row.report else []
    )
    return " + ".join(found)
