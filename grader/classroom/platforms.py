"""Grades as the learning platforms import them.

With a roster that was exported there, its columns come back unchanged and the grades beside them.
Nothing stands where there is no grade: an import must not overwrite one with a zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.classroom import table
from grader.classroom.gradebook import Gradebook, Row, first_problem
from grader.classroom.roster import Person

CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
MOODLE = ("Identifier", "Full name", "Email address")
MAXIMUM = "Maximum Grade"


def canvas(book: Gradebook) -> str:
    """Canvas' gradebook import: one column for each step, and its row of possible points."""
    header = [name for name in CANVAS if name in CANVAS[:2] or _has(book, name)]
    titles = [_canvas_column(book, step) for step in book.titles]
    possible: list[table.Cell] = ["    Points Possible", *[""] * (len(header) - 1)]
    rows: list[Sequence[table.Cell]] = [[*possible, *book.most.values()]]
    for person in _known(book):
        cells: list[table.Cell] = [_canvas_cell(person, name) for name in header]
        rows.append([*cells, *(_grade(book, person, step) for step in book.titles)])
    return table.render([*header, *titles], rows)


def _known(book: Gradebook) -> list[Person]:
    """Whom the platform knows: those on the roster, where there is one."""
    return [person for person in book.people if person.listed]


def _has(book: Gradebook, column: str) -> bool:
    return any(column in person.columns for person in book.people)


def _canvas_column(book: Gradebook, step: str) -> str:
    """The assignment's column in the export, which has its number; else a new assignment."""
    title = f"Step {step.removeprefix('s')}: {book.titles[step]}"
    for person in book.people:
        for column in person.columns:
            folded = column.casefold().lstrip()
            if folded.startswith((title.casefold(), f"step {step.removeprefix('s')}", step)):
                return column
    return title


def _canvas_cell(person: Person, column: str) -> str:
    if column in person.columns:
        return person.columns[column]
    if column == "Student":
        return person.name
    return person.student.identifier if column == "ID" and person.student else ""


def moodle(book: Gradebook, step: str) -> str:
    """Moodle's grading worksheet of one assignment, with the report as the comment."""
    listed = [person for person in book.people if person.columns]
    header = list(listed[0].columns) if listed else list(MOODLE[:2])
    header += [name for name in ("Grade", "Feedback comments") if name not in header]
    rows = []
    for person in _known(book):
        cells = dict(person.columns) or {
            "Identifier": f"Participant {person.student.identifier if person.student else ''}",
            "Full name": person.name,
        }
        grade = _grade(book, person, step)
        if grade is not None:
            cells["Grade"] = _scaled(grade, book.most[step], cells.get(MAXIMUM, ""))
            cells["Feedback comments"] = _comment(book.row(person, step))
        rows.append([cells.get(name, "") for name in header])
    return table.render(header, rows)


def _grade(book: Gradebook, person: Person, step: str) -> int | None:
    """The points; None where nothing was handed in, or the grader failed."""
    row = book.row(person, step)
    return book.score(row) if row.report is not None else None


def _scaled(points: int, most: int, maximum: str) -> str:
    """The points as Moodle's assignment counts them."""
    try:
        whole = float(maximum.replace(",", "."))
    except ValueError:
        return str(points)
    return f"{points * whole / most:.2f}" if most else "0.00"


def _comment(row: Row) -> str:
    if row.report is None:
        return ""
    told = [one.message for one in row.report.diagnosis] or [first_problem(row.report)]
    score = f"{row.report.score} of {row.report.max_score} checks passed."
    return " ".join([score, *filter(None, told)])
