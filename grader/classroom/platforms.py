"""Grades in the formats that learning platforms import.

If the roster was exported there, its columns come back unchanged, with the grades added. Cells
without a grade stay empty: an import must not overwrite a grade with a zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.classroom import feedback, grade_columns, table
from grader.classroom.gradebook import Gradebook, Row, first_problem
from grader.classroom.roster import POSSIBLE, Person

SIS = ("SIS User ID", "SIS Login ID")
CANVAS = ("Student", "ID", *SIS, "Root Account", "Section")
"""The columns before the assignments. Canvas refuses a file without ``Section``, or with only the
first of ``SIS``."""
MOODLE = ("Identifier", "Full name", "Grade", "Last modified (grade)", "Feedback comments")
NEEDED = ("Identifier", "Grade", "Last modified (grade)")
"""The columns without which Moodle refuses a worksheet, in the language of its site."""
MAXIMUM = "Maximum Grade"
LAST = "End-of-Line Indicator"
"""Brightspace requires this column at the end."""


def canvas(book: Gradebook) -> str:
    """Return Canvas' gradebook import: a column for each step, and the row of possible points."""
    header = _canvas_header(book)
    columns = {step: _column(book, "canvas", step) for step in book.titles}
    possible: list[table.Cell] = [f"    {POSSIBLE}", *[""] * (len(header) - 1)]
    possible += [book.possible.get(column) or book.most[step] for step, column in columns.items()]
    rows: list[Sequence[table.Cell]] = [possible]
    for person in _known(book):
        cells: list[table.Cell] = [_canvas_cell(person, name) for name in header]
        for step, column in columns.items():
            cells.append(_grade(book, person, step, book.possible.get(column, "")))
        rows.append(cells)
    return table.render([*header, *columns.values()], rows)


def _canvas_header(book: Gradebook) -> list[str]:
    given = {column for person in book.people for column in person.columns}
    if not given.isdisjoint(SIS):
        given.update(SIS)
    return [name for name in CANVAS if name in given or name in ("Student", "ID", "Section")]


def _known(book: Gradebook) -> list[Person]:
    """Return the people on the roster, if there is one: those whom the platform knows."""
    return [person for person in book.people if person.listed]


def _columns(book: Gradebook) -> list[str]:
    """Return the roster's columns."""
    return list(dict.fromkeys(column for person in book.people for column in person.columns))


def _column(book: Gradebook, form: str, step: str) -> str:
    """Return the column for a step's grades in ``form``: the teacher's choice, or one that fits."""
    title = book.titles[step]
    return book.columns.get(step) or grade_columns.COLUMN_OF[form](_columns(book), step, title)


def roster(book: Gradebook) -> str:
    """Return the roster with the grades in it, for platforms that import such a table.

    A step's points go into the column that begins with its name, scaled if the title gives the
    maximum points; otherwise into a new one.
    """
    columns = {step: _column(book, "roster", step) for step in book.titles}
    header = list(dict.fromkeys([*(_columns(book) or ["Student"]), *columns.values()]))
    if LAST in header:
        header.sort(key=LAST.__eq__)
    rows = []
    for person in _known(book):
        cells: dict[str, table.Cell] = {**(person.columns or {"Student": person.name})}
        for step, column in columns.items():
            most = grade_columns.MOST.search(column)
            grade = _grade(book, person, step, most[1] if most else "")
            cells[column] = cells.get(column, "") if grade is None else grade
        rows.append([cells.get(name, "") for name in header])
    return table.render(header, rows)


def _canvas_cell(person: Person, column: str) -> str:
    if column in person.columns:
        return person.columns[column]
    if column == "Student":
        return person.name
    return person.student.identifier if column == "ID" and person.student else ""


def moodle(book: Gradebook, step: str) -> str:
    """Return Moodle's grading worksheet of one assignment, with the report as the comment."""
    listed = [person for person in book.people if person.columns]
    header = list(listed[0].columns) if listed else list(MOODLE)
    header += [name for name in ("Grade", "Feedback comments") if name not in header]
    rows = []
    for person in _known(book):
        cells: dict[str, table.Cell] = {**person.columns} or {
            "Identifier": f"Participant {person.student.identifier if person.student else ''}",
            "Full name": person.name,
        }
        grade = _grade(book, person, step, person.columns.get(MAXIMUM, ""))
        if grade is not None:
            cells["Grade"] = grade
            cells["Feedback comments"] = _comment(book.row(person, step))
        rows.append([cells.get(name, "") for name in header])
    return table.render(header, rows)


def _grade(book: Gradebook, person: Person, step: str, whole: str) -> float | str | None:
    """Return the points, scaled to ``whole`` if the platform gives the maximum.

    None if nothing was handed in, or the grader failed.
    """
    points = book.grade(book.row(person, step))
    try:
        most = float(whole.replace(",", "."))
    except ValueError:
        return points
    if points is None:
        return None
    return f"{points * most / book.most[step]:.2f}" if book.most[step] else "0.00"


def _comment(row: Row) -> str:
    if row.report is None:
        return ""
    told = [one.message for one in row.report.diagnosis] or [first_problem(row.report)]
    score = f"{row.report.score} of {row.report.max_score} checks passed."
    return " ".join([score, *filter(None, told)])


def _untimed(book: Gradebook) -> list[str]:
    """Say for how many answers the time of submission is unknown to the policy."""
    found = []
    for step in book.titles:
        late = [book.row(person, step).lateness for person in book.people]
        if unknown := sum(each is not None and each.when is None for each in late):
            said = f"no time is known of {unknown} answer{'s' * (unknown != 1)} to {step}"
            found.append(f"{book.policy}: {said}, so it took nothing off.")
    return found


NEW = {"canvas": "assignment", "roster": "column"}
"""What these formats add if the roster has no column for a step."""


def remarks(book: Gradebook, forms: Sequence[str]) -> list[str]:
    """Return what a teacher should know before importing this module's files."""
    columns = _columns(book)
    found = _untimed(book)
    for form, new in NEW.items():
        for step in book.titles if form in forms else ():
            column = _column(book, form, step)
            what = "goes into" if column in columns else f"becomes a new {new},"
            found.append(f"{form}.csv: {step} {what} {column!r}.")
    if "canvas" in forms and not all(_canvas_cell(person, "ID") for person in _known(book)):
        found.append("canvas.csv: some people have no ID; Canvas looks for them by name.")
    if "feedback" in forms:
        for step in book.titles:
            there = [each for each in book.people if book.row(each, step).report is not None]
            lost = sum(not feedback.returned(book, each, step) for each in there)
            if lost:
                found.append(
                    f"feedback_{step}.zip: {lost} of {len(there)} reports are not in it. Neither "
                    "Canvas nor Moodle would know whose they are; --for text writes all."
                )
    if "moodle" in forms:
        lacking = [name for name in NEEDED if columns and name not in columns]
        if lacking:
            found.append(
                f"moodle_*.csv: the roster has no column {lacking[0]!r}. Moodle takes only its own "
                "grading worksheet, downloaded in English."
            )
        elif not columns or MAXIMUM not in columns:
            found.append(
                f"moodle_*.csv: no roster says the {MAXIMUM!r}, so the points are not scaled."
            )
    return found
