"""The class list: who should have handed in, matched with the names in the files.

Any CSV with a header will do: a Canvas gradebook export, a Moodle grading worksheet, GitHub
Classroom's roster, or one column of names.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.base import sanitize
from grader.base.files import Unusable
from grader.classroom.layout import Student

NAMES = ("student", "fullname", "name", "identifier", "login", "username", "email")
"""Columns with the name to show, best first. Without any of them, the first that is
not empty."""
NUMBERS = ("id", "identifier", "userid", "studentid", "githubid")
"""Columns with a platform's number for a person. If there is one, no other cell is one."""
NOT_OF_A_NAME = ("section", "status", "grade", "maximumgrade", "group", "points", "score")
"""Columns in which a file's name is not looked for: section "A" is not the student "a"."""
POSSIBLE = "Points Possible"
NOT_A_STUDENT = (POSSIBLE, "Student, Test")
"""Rows of a Canvas export that are not people, by their first cell."""
POSTED = re.compile(r"(?:Muted|Manual Posting.*)?", re.IGNORECASE)
"""The cells of one more row that is not a person."""
SEPARATOR = re.compile(r'"?sep=(.)"?[\r\n]+', re.IGNORECASE)
"""What Excel writes before a header to say how the columns are separated."""
TEXT = re.compile(r'^="(.*)"$')
"""How Excel keeps the zeros in front of a number."""
LATE = re.compile(r"\b(?:sec|min|hour|day|year)s? late\b")
MOST_BYTES = 16 << 20


@dataclass(frozen=True)
class Person:
    """One row of the gradebook.

    ``student`` is None if nothing was handed in, ``listed`` False if the roster has no
    such row. ``columns`` is the roster's row.
    """

    name: str
    student: Student | None
    listed: bool = True
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def late(self) -> bool:
        """Whether the roster is a Moodle worksheet, and its status says "2 hours late"."""
        return LATE.search(self.columns.get("Status", "")) is not None


@dataclass(frozen=True)
class Roster:
    """The header and the rows of a class list.

    ``possible`` is the row of a Canvas export that says how many points each column has,
    ``notes`` what else was not taken to be a student.
    """

    header: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]
    possible: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read(path: Path) -> Roster:
    """The roster at ``path``: separated by commas, semicolons or tabs; UTF-8, or else Latin-1.

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
    if "\0" in text:
        raise Unusable(f"The roster {path} is not text. Save it as CSV.")
    try:
        lines = _lines(text)
    except csv.Error as problem:
        raise Unusable(f"The roster {path} is not a CSV table: {problem}.") from None
    if not lines or not any(lines[0]):
        raise Unusable(f"The roster {path} has no header line. Save it as CSV with one.")
    return _roster(tuple(lines[0]), [line for line in lines[1:] if any(line)])


def _lines(text: str) -> list[list[str]]:
    """The cells of each line. The separator is the one that splits the header most."""
    if said := SEPARATOR.match(text):
        return _split(text[said.end() :], said[1])

    def columns(separator: str) -> int:
        try:
            return len(next(csv.reader(io.StringIO(text, newline=""), delimiter=separator), ()))
        except csv.Error:
            return 0

    return _split(text, max(",;\t", key=columns))


def _split(text: str, separator: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    return [[TEXT.sub(r"\1", cell.strip()) for cell in line] for line in reader]


def _roster(header: tuple[str, ...], lines: Iterable[Sequence[str]]) -> Roster:
    possible: Mapping[str, str] = {}
    rows: list[Mapping[str, str]] = []
    notes = []
    for line in lines:
        row: dict[str, str] = {}
        for column, cell in zip(header, line, strict=False):
            row.setdefault(column, cell)  # Canvas may give two columns the same name
        if line[0].startswith(POSSIBLE):
            possible = row
        elif row in rows:
            notes.append(f"{_shown(_name(row))}: appears twice in the roster")
        elif not line[0].startswith(NOT_A_STUDENT) and not all(map(POSTED.fullmatch, line)):
            rows.append(row)
    return Roster(header, tuple(rows), possible, tuple(notes))


def people(students: Sequence[Student], roster: Roster | None) -> list[Person]:
    """Everyone, in the roster's order, then who is not on it; without a roster, by name.

    Raises:
        Unusable: the roster's header is a student.
    """
    if roster is None:
        return _told_apart([Person(_shown(student.key), student) for student in students])
    _check_header(students, roster)
    known = [_Known(row) for row in roster.rows]
    rows_of = {student: _rows(student, known) for student in students}
    mine: dict[int, Student] = {}
    for student, rows in rows_of.items():
        if len(rows) == 1 and rows[0] not in mine:
            mine[rows[0]] = student
    listed = [
        Person(_shown(_name(row)), mine.get(index), columns=row)
        for index, row in enumerate(roster.rows)
    ]
    taken = set(mine.values())
    others = [
        Person(_shown(each.key), each, listed=False) for each in students if each not in taken
    ]
    return _told_apart([*listed, *others])


def _check_header(students: Sequence[Student], roster: Roster) -> None:
    """Raise if the header is a student: without a header, the first student would be lost."""
    titles = {_folded(title) for title in roster.header} - {"", *NAMES}
    for student in students:
        if _folded(student.key) in titles:
            raise Unusable(
                f"The roster's first line has {_shown(student.key)!r}, who handed something in. "
                "Put a line with the names of the columns above it."
            )


def _name(row: Mapping[str, str]) -> str:
    folded = {_folded(column): cell for column, cell in row.items()}
    whole = " ".join(filter(None, (folded.get("firstname"), folded.get("lastname"))))
    chosen = next((folded[name] for name in NAMES if folded.get(name)), "")
    return chosen or whole or next(filter(None, row.values()), "")


class _Known:
    """Everything a file may call one person of the roster."""

    def __init__(self, row: Mapping[str, str]) -> None:
        folded = {_folded(column): cell for column, cell in row.items()}
        numbered = [folded[name] for name in NUMBERS if name in folded] or list(row.values())
        ends = (re.fullmatch(r"\D*?(\d+)", cell) for cell in numbered)
        self.numbers = {*filter(None, numbered), *(end[1] for end in ends if end)}
        names = [folded.get("firstname", ""), folded.get("lastname", "")]
        self.names = {_folded("".join(names)), _folded("".join(reversed(names)))}
        for column, cell in folded.items():
            if not column.startswith(NOT_OF_A_NAME):
                self.names |= _spellings(cell)
        self.names.discard("")


def _spellings(cell: str) -> set[str]:
    """A name as written, reversed at a comma, and an address without its host."""
    last, _, first = cell.partition(",")
    return {_folded(cell), _folded(first + last), _folded(cell.partition("@")[0])}


def _rows(student: Student, known: Sequence[_Known]) -> list[int]:
    """The rows that may be this student: by the platform's number, else by name."""
    if student.identifier:
        found = [i for i, person in enumerate(known) if student.identifier in person.numbers]
        if len(found) == 1:
            return found
    key = student.key.removesuffix("-main").removesuffix("-master")  # GitHub, "Download ZIP"
    parts = key.split("-")  # GitHub Classroom: assignment-username
    wanted = [student.key, *("-".join(parts[index:]) for index in range(len(parts)))]
    for name in filter(None, map(_folded, wanted)):
        if found := [index for index, person in enumerate(known) if name in person.names]:
            return found
    return []


def _folded(name: str) -> str:
    """A name without case, accents, spaces and punctuation."""
    apart = unicodedata.normalize("NFKD", name).casefold()
    return "".join(letter for letter in apart if letter.isalnum())


def _shown(name: str) -> str:
    whole = " ".join(name.encode("utf-8", "replace").decode("utf-8").split())
    return sanitize.line(whole, 120) or "?"


def _told_apart(people: Sequence[Person]) -> list[Person]:
    """The people under distinct names. Those who share one get what else tells them apart."""
    same: dict[str, list[Person]] = defaultdict(list)
    for person in people:
        same[person.name].append(person)
    told: list[Person] = []
    seen = {name for name, each in same.items() if len(each) == 1}
    for person in people:
        alike = same[person.name]
        named = _tagged(person, alike, seen) if len(alike) > 1 else person
        seen.add(named.name)
        told.append(named)
    return told


def _tagged(person: Person, alike: Sequence[Person], seen: set[str]) -> Person:
    """A person who shares a name, with a distinct name."""
    ways = [[each.columns.get(column, "") for each in alike] for column in person.columns]
    ways.append([each.student.identifier if each.student else "" for each in alike])
    ways = [way for way in ways if all(way) and len(set(way)) == len(way)]
    tags = [_shown(tag) for tag in ways[0]] if ways else [""] * len(alike)
    tag = tags[next(index for index, each in enumerate(alike) if each is person)]
    name, number = f"{person.name} ({tag})" if tag else person.name, 1
    while name in seen:
        number += 1
        name = f"{person.name} ({number})"
    return replace(person, name=name)
