"""The class list: who should have handed in, matched with the names in the files.

Any CSV with a header will do: a Canvas gradebook export, a Moodle grading worksheet, GitHub
Classroom's roster, or one column of names.
"""

from __future__ import annotations

import csv
import difflib
import io
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path

from grader.base import sanitize
from grader.base.files import Unusable
from grader.classroom.columns import Columns, Known, folded, in_order, name_of, plainly, understood
from grader.classroom.layout import TEST_STUDENT, Student
from grader.classroom.matching import match

POSSIBLE = "Points Possible"
POSTED = re.compile(r"(?:Muted|Manual Posting.*)?", re.IGNORECASE)
"""The cells of another row that is not a person."""
SEPARATOR = re.compile(r'"?sep=(.)"?[\r\n]+', re.IGNORECASE)
"""What Excel writes before a header to name the separator of columns."""
TEXT = re.compile(r'^="(.*)"$')
"""How Excel preserves leading zeros of a number."""
TIMES = ("lastmodifiedsubmission", "submissiontime", "submissiondate", "submittedat", "submitted")
"""Folded titles of columns with the time of submission: Moodle's, Gradescope's."""
LATE = re.compile(r"\b(?:sec|min|hour|day|year)s? late\b")
MOST_BYTES = 16 << 20


@dataclass(frozen=True)
class Person:
    """One row of the gradebook.

    ``student`` is None if nothing was handed in, ``listed`` False if the person is not on the
    roster. ``columns`` is the roster's row.
    """

    name: str
    student: Student | None
    listed: bool = True
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def late(self) -> bool:
        """Whether the roster is a Moodle worksheet with a status such as "2 hours late"."""
        return LATE.search(self.columns.get("Status", "")) is not None

    @property
    def told_time(self) -> str:
        """The time of submission, as the roster writes it; empty if it has none."""
        told = (cell for title, cell in self.columns.items() if folded(title) in TIMES)
        return next((cell for cell in told if any(map(str.isdecimal, cell))), "")


@dataclass(frozen=True)
class Roster:
    """The header and the rows of a class list.

    ``possible`` is the row of a Canvas export with the maximum points of each column, ``notes``
    says what else was not taken for a student.
    """

    header: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]
    possible: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> Columns:
        """The columns that identify a person."""
        return understood(self.header)


def read(path: Path) -> Roster:
    """Read the roster at ``path``: separated by commas, semicolons or tabs; UTF-8, or else Latin-1.

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
    """Return the cells of each line. The separator is the one that splits the header most."""
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
    notes, columns = [], understood(header)
    for line in lines:
        row: dict[str, str] = {}
        for column, cell in zip_longest(header, line[: len(header)], fillvalue=""):
            row.setdefault(column, cell)  # Canvas may give two columns the same name
        if line[0].startswith(POSSIBLE):
            possible = row
        elif row in rows:
            notes.append(f"{shown(name_of(row, columns))}: appears twice in the roster")
        elif all(map(POSTED.fullmatch, line)):
            continue
        elif folded(name_of(row, columns)) not in TEST_STUDENT:
            rows.append(row)
    return Roster(header, tuple(rows), possible, tuple(notes))


@dataclass(frozen=True)
class Class:
    """Everyone, in the roster's order, then those not on it; and what was unclear.

    ``fits`` says whether at least half of those who handed something in are on the roster.
    """

    people: tuple[Person, ...]
    notes: tuple[str, ...] = ()
    fits: bool = True


def people(students: Sequence[Student], roster: Roster | None) -> list[Person]:
    """Return the people of :func:`matched`."""
    return list(matched(students, roster).people)


def matched(students: Sequence[Student], roster: Roster | None) -> Class:
    """Return everyone with what they handed in; without a roster, by name."""
    if roster is None:
        everyone = [Person(shown(student.key), student) for student in students]
        return Class(tuple(_told_apart(everyone)))
    roster = _with_first_line(students, roster)
    known = [Known(row, roster.columns) for row in roster.rows]
    found = match(students, known)
    listed = [
        Person(shown(name_of(row, roster.columns)), found.rows.get(index), columns=row)
        for index, row in enumerate(roster.rows)
    ]
    taken = set(found.rows.values())
    others = [Person(shown(each.key), each, listed=False) for each in students if each not in taken]
    notes = [
        f"{listed[row].name}: claimed by {' and by '.join(repr(shown(by.key)) for by in claims)}; "
        "nobody was given it"
        for row, claims in found.disputed.items()
    ]
    fits = 2 * len(taken) >= len(students)
    return Class(tuple(_told_apart([*listed, *others])), tuple(notes), fits)


def by_name(people: Iterable[Person]) -> Callable[[str], list[Person]]:
    """Return a function that finds the people with a name as a teacher writes it.

    It searches gradebook and files first, then the roster. A comma means that the last name is
    first. If nobody has the name, plain letters may stand for others.
    """
    exact: dict[str, list[Person]] = defaultdict(list)
    plain: dict[str, list[Person]] = defaultdict(list)
    sure: dict[str, list[Person]] = defaultdict(list)
    usual: dict[str, list[Person]] = defaultdict(list)
    for person in people:
        key = person.student.key if person.student else person.name
        for name in {person.name.casefold(), shown(key).casefold()}:
            exact[name].append(person)
        for name in {folded(person.name), folded(key), folded(shown(key))}:
            sure[name].append(person)
        row = person.columns or {"name": person.name}
        known = Known(row, understood(tuple(row))).whole
        for name in known:
            usual[name].append(person)
        for name in {plainly(each) for each in (person.name, key, *known)}:
            plain[name].append(person)

    def called(name: str) -> list[Person]:
        found = exact.get(shown(name).casefold()) or sure.get(folded(name))
        found = found or usual.get(folded(name)) or sure.get(folded(in_order(name)))
        return found or plain.get(plainly(name)) or plain.get(plainly(in_order(name)), [])

    return called


def only(
    people: Sequence[Person],
    called: str,
    among: Iterable[Person],
    where: str,
    nobody: str = "nobody is called {!r}",
) -> Person:
    """Return the only one of ``people``, whom a teacher named in ``where``.

    Raises:
        Unusable: there are several, or ``nobody``; it names who may be meant, of them or ``among``
            all.
    """
    if len(people) == 1:
        return people[0]
    if people:
        said = f"several people are called {called!r}: {', '.join(each.name for each in people)}"
        raise Unusable(f"{where}: {said}. Write the name as in gradebook.csv.")
    names = {plainly(each.name): each.name for each in among}
    near = [names[each] for each in difflib.get_close_matches(plainly(called), names)]
    guess = f"Did you mean {' or '.join(near)}?" if near else "Write the name as in gradebook.csv."
    raise Unusable(f"{where}: {nobody.format(called)}. {guess}")


def meant(where: str, people: Mapping[str, str]) -> str:
    """Say whom a teacher meant: their names, after the teacher's names where these differ."""
    said = [name + (f" ({who!r})" if who != name else "") for who, name in people.items()]
    return f"{where}: {', '.join(said)}."


def _with_first_line(students: Sequence[Student], roster: Roster) -> Roster:
    """Return the roster; if its first line is a student instead of titles, with it as a row."""
    keys = {folded(student.key) for student in students}
    if roster.columns.understood or keys.isdisjoint(map(folded, roster.header)):
        return roster
    header = tuple(f"column {number + 1}" for number in range(len(roster.header)))
    first = dict(zip(header, roster.header, strict=True))
    rows = [dict(zip(header, row.values(), strict=False)) for row in roster.rows]
    return replace(roster, header=header, rows=(first, *rows))


def shown(name: str) -> str:
    """Return a name as one short line of text."""
    whole = " ".join(name.encode("utf-8", "replace").decode("utf-8").split())
    return sanitize.line(whole, 120) or "?"


def _told_apart(people: Sequence[Person]) -> list[Person]:
    """Return the people under distinct names. Those who share one get what distinguishes them."""
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
    """Give a person who shares a name a distinct one."""
    ways = [[each.columns.get(column, "") for each in alike] for column in person.columns]
    ways.append([each.student.identifier if each.student else "" for each in alike])
    ways = [way for way in ways if all(way) and len(set(way)) == len(way)]
    tags = [shown(tag) for tag in ways[0]] if ways else [""] * len(alike)
    tag = tags[next(index for index, each in enumerate(alike) if each is person)]
    name, number = f"{person.name} ({tag})" if tag else person.name, 1
    while name in seen:
        number += 1
        name = f"{person.name} ({number})"
    return replace(person, name=name)
