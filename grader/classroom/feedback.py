"""Reports to hand back, packed under names that tell Canvas and Moodle whose they are.

Canvas attaches a file to a comment on the submission whose numbers are in its name, those of the
person and the file (``Assignment#infer_comment_context_from_filename``). Moodle adds it to the
feedback of the participant whose number its folder has (``assignfeedback_file_zip_importer``).
"""

from __future__ import annotations

import re

from grader.base.model import Report
from grader.classroom.gradebook import Gradebook
from grader.classroom.layout import CANVAS, MOODLE, by_platform
from grader.classroom.roster import Person
from grader.classroom.zip_writer import packed
from grader.report import as_text
from grader.report.parts import VERSION

PARTICIPANT = re.compile(r"Participant ([0-9]{1,20})")
"""How Moodle's grading worksheet numbers people."""


def told(book: Gradebook, name: str, report: Report) -> str:
    """Return a report to hand back: whose it is, the points, and the grader's text."""
    row = book.rows[name, report.step]
    score, late = book.score(row), f" ({row.late_note})" if row.late_note else ""
    points = "no points yet" if score is None else f"{score} of {book.most[report.step]} points"
    return f"{name}, {report.step}: {points}{late}\n\n{as_text.render(report)}\n{VERSION}\n"


def archive(book: Gradebook, step: str) -> bytes:
    """Pack the report of everyone whose submission Canvas or Moodle can find into a zip file."""
    found = {}
    for person in book.people:
        report, name = book.row(person, step).report, returned(book, person, step)
        if report is not None and name:
            found[name] = told(book, person.name, report).encode()
    return packed(found)


def returned(book: Gradebook, person: Person, step: str) -> str:
    """Return the name under which a platform accepts a report; empty if none would."""
    answer = book.row(person, step).answer
    file = f"{step}-report.txt"
    parts = answer.origin.split("/") if answer else []
    for part in parts:
        found = by_platform(part, folder=part is not parts[-1])
        if found and found.re is CANVAS and found["attachment"]:
            return f"{part[: found.start('file')]}{file}"
        if found and found.re is MOODLE and found["id"]:
            return _moodle(found["who"], found["id"], file)
    participant = PARTICIPANT.fullmatch(person.columns.get("Identifier", ""))
    return _moodle(person.name, participant[1], file) if participant else ""


def _moodle(name: str, number: str, file: str) -> str:
    """Moodle splits the folder's name at underscores; the number must be the second part."""
    plain = re.sub(r"[^\w .,()-]|_", " ", name).strip(" .") or "Participant"
    return f"{plain}_{number}_assignfeedback_file_/{file}"
