"""Matches people with rows: a row goes to whoever has its name, and to nobody if two do."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from grader.classroom.columns import Known, folded, in_order
from grader.classroom.layout import Student

Claim = Callable[[Student, Known], bool]
BRANCHES = ("-main", "-master")
"""What GitHub's "Download ZIP" adds to a repository's name."""


@dataclass
class Matches:
    """Who has which row, and the rows that several people match, which nobody gets."""

    rows: dict[int, Student] = field(default_factory=dict)
    disputed: dict[int, tuple[Student, ...]] = field(default_factory=dict)


def match(students: Sequence[Student], known: Sequence[Known]) -> Matches:
    """Give each row to its owner: most certain matches first, disputed rows to nobody."""
    found = Matches()
    left = list(students)
    for claim in _claims(students, known):
        claimed: Mapping[int, list[Student]] = defaultdict(list)
        for student in left:
            rows = [index for index, person in enumerate(known) if claim(student, person)]
            if len(rows) == 1:
                claimed[rows[0]].append(student)
        for row, by in claimed.items():
            if row in found.rows or row in found.disputed:
                continue
            if len(by) == 1:
                found.rows[row] = by[0]
            else:
                found.disputed[row] = tuple(by)
        taken = {*found.rows.values(), *(one for by in found.disputed.values() for one in by)}
        left = [student for student in left if student not in taken]
    return found


def _claims(students: Sequence[Student], known: Sequence[Known]) -> Sequence[Claim]:
    """Return the ways to match a row, the most certain first."""
    prefix = _prefix(students, known)
    members = _members(students, known)

    def numbered(student: Student, person: Known) -> bool:
        given = student.identifier
        return bool(given) and (given in person.numbers or folded(given) in person.marks)

    def named_in_order(student: Student, person: Known) -> bool:
        """Platforms that assign numbers write names as words in order."""
        known = "," in student.key or (" " in student.key and bool(student.identifier))
        return known and folded(in_order(student.key)) in person.in_order

    def named(student: Student, person: Known) -> bool:
        return folded(student.key) in person.whole

    def described(student: Student, person: Known) -> bool:
        return person.called(student.key)

    def behind_the_assignment(student: Student, person: Known) -> bool:
        return any(folded(name) in person.whole for name in _repository(student.key, prefix))

    def behind_the_team(student: Student, person: Known) -> bool:
        return members.get(student, "") in person.whole

    return (numbered, named_in_order, named, described, behind_the_assignment, behind_the_team)


def _members(students: Sequence[Student], known: Sequence[Known]) -> Mapping[Student, str]:
    """Return the person after a team's name, which Moodle puts first: ``Team A-Ada Lovelace``.

    Moodle does so for everyone or for nobody. Elsewhere, people may have hyphens in their names.
    """
    whole = {name for person in known for name in person.whole}
    found = {}
    for student in students:
        parts = student.key.split("-")
        names = ["-".join(parts[start:]) for start in range(1, len(parts))]
        full = [name for name in names if " " in name.strip() or student.identifier]
        found[student] = next((each for each in map(folded, full) if each in whole), "")
    moodle = [student for student in students if " " in student.key or student.identifier]
    teams = 2 * sum("-" in student.key for student in moodle) > len(moodle)
    return found if teams else {}


def _repository(key: str, prefix: str) -> list[str]:
    """Return possible names of a GitHub Classroom repository without the assignment's name."""
    names = [key.removesuffix(branch) for branch in BRANCHES if key.endswith(branch)]
    if prefix and key.startswith(prefix):
        names += [name.removeprefix(prefix) for name in (key, *names)]
    return names


def _prefix(students: Sequence[Student], known: Sequence[Known]) -> str:
    """Find the assignment's name in front of students' names: most have it, and match without it.

    Nobody can choose it for others: a prefix of only a few is part of their own names.
    """
    begin: Counter[str] = Counter()
    for student in students:
        parts = student.key.split("-")
        begin.update("-".join(parts[:end]) + "-" for end in range(1, len(parts)))
    whole = {name for person in known for name in person.whole}
    best, most = "", 0
    for prefix, count in sorted(begin.items(), key=lambda each: (len(each[0]), each[0])):
        if count < 2 or 2 * count <= len(students):
            continue
        keys = [student.key for student in students if student.key.startswith(prefix)]
        fits = sum(any(folded(name) in whole for name in _repository(key, prefix)) for key in keys)
        if fits > most:
            best, most = prefix, fits
    return best
