"""The class list: who should have handed in, matched with whom the files name.

Any CSV with a header will do: a Canvas gradebook export, a Moodle grading worksheet, GitHub
Classroom's roster, or one column of names.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader import clean
from grader.classroom.layout import Student
from grader.files import Unusable

NAMES = ("student", "full name", "name", "identifier", "login", "username", "email")
"""Columns that hold the name to show, best first. Without one of them it is the first column."""
NOT_A_STUDENT = ("Points Possible", "Student, Test")
"""Rows of a Canvas export that are nobody."""
MOST_BYTES = 16 << 20


@dataclass(frozen=True)
class Person:
    """One row of the gradebook.

    ``student`` is None where nothing was handed in, ``listed`` False where the roster has no
    such row. ``columns`` is the roster's row.
    """

    name: str
    student: Student | None
    listed: bool = True
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Roster:
    """The header and the rows of a class list."""

    header: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]


def read(path: Path) -> Roster:
    """The roster at ``path``: separated by comma, semicolon or tab; UTF-8, or else Latin-1.

    Raises:
        Unusable: it cannot be read as a table with a header.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise Unusable(f"The roster {path} is larger than {MOST_BYTES >> 20} MiB.")
        data = path.read_bytes()
    except OSError as problem:
        raise Unusable(f"The roster {path} cannot be read: {problem.strerror}.") from None
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    first = text.split("\n", 1)[0]
    separator = max(",;\t", key=first.count)
    try:
        lines = [
            [cell.strip() for cell in line]
            for line in csv.reader(text.splitlines(), delimiter=separator, strict=True)
        ]
    except csv.Error as problem:
        raise Unusable(f"The roster {path} is no CSV table: {problem}.") from None
    if not lines or not any(lines[0]) or "\0" in text:
        raise Unusable(f"The roster {path} has no header line. Save it as CSV with one.")
    header = tuple(lines[0])
    rows = (dict(zip(header, line, strict=False)) for line in lines[1:] if any(line))
    return Roster(header, tuple(row for row in rows if not _nobody(row)))


def _nobody(row: Mapping[str, str]) -> bool:
    return next(iter(row.values())).startswith(NOT_A_STUDENT)


def people(students: Sequence[Student], roster: Roster | None) -> list[Person]:
    """Everyone, in the roster's order, then who is not on it; without a roster, by name."""
    if roster is None:
        return _told_apart(Person(_shown(student.key), student) for student in students)
    keys = [_keys(row) for row in roster.rows]
    rows_of = {student: _rows(student, keys) for student in students}
    mine: dict[int, Student] = {}
    for student, rows in rows_of.items():
        if len(rows) == 1 and rows[0] not in mine:
            mine[rows[0]] = student
    listed = (
        Person(_shown(_name(row)), mine.get(index), columns=row)
        for index, row in enumerate(roster.rows)
    )
    taken = set(mine.values())
    others = (
        Person(_shown(each.key), each, listed=False) for each in students if each not in taken
    )
    return _told_apart([*listed, *others])


def _name(row: Mapping[str, str]) -> str:
    folded = {column.casefold(): cell for column, cell in row.items()}
    whole = " ".join(filter(None, (folded.get("first name"), folded.get("last name"))))
    chosen = next((folded[name] for name in NAMES if folded.get(name)), "")
    return chosen or whole or next(iter(row.values()))


def _keys(row: Mapping[str, str]) -> set[str]:
    """All that a file may call this person, folded."""
    found = {_folded(cell) for cell in row.values()}
    for cell in row.values():
        last, comma, first = cell.partition(",")
        if comma:
            found.add(_folded(first + last))
        if "@" in cell:
            found.add(_folded(cell.partition("@")[0]))
        if number := re.fullmatch(r"\D*?(\d+)", cell):
            found.add(number[1])
    folded = {column.casefold(): cell for column, cell in row.items()}
    names = [folded.get("first name", ""), folded.get("last name", "")]
    found |= {_folded("".join(names)), _folded("".join(reversed(names)))}
    return found - {""}


def _rows(student: Student, keys: Sequence[set[str]]) -> list[int]:
    """The rows that this student may be: by the platform's number, else by name."""
    wanted = [student.identifier, _folded(student.key)]
    parts = student.key.split("-")  # GitHub Classroom: assignment-username
    wanted += [_folded("-".join(parts[index:])) for index in range(1, len(parts))]
    for name in filter(None, wanted):
        if rows := [index for index, known in enumerate(keys) if name in known]:
            return rows
    return []


def _folded(name: str) -> str:
    """A name without case, accents, spaces and punctuation."""
    apart = unicodedata.normalize("NFKD", name).casefold()
    return "".join(letter for letter in apart if letter.isalnum())


def _shown(name: str) -> str:
    return clean.line(name.encode("utf-8", "replace").decode("utf-8"), 120)


def _told_apart(people: Iterable[Person]) -> list[Person]:
    """The people with names that differ; a second one of the same name gets a number."""
    told: list[Person] = []
    seen: set[str] = set()
    for person in people:
        name, number = person.name, 1
        while name in seen:
            number += 1
            name = f"{person.name} ({number})"
        seen.add(name)
        told.append(Person(name, person.student, person.listed, person.columns))
    return told
