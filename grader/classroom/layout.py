"""Whose file is it, and which step? Read from the names alone, as learning platforms make them.

=================  =====================================================================
folder of folders  ``ada/step_05.py``, ``ada/steps/step_05.py``
folder of files    ``ada.py``, ``ada_step_05.py``
Canvas             ``lovelaceada_LATE_12345_67890_step_05-2.py``, ``anon_X7k2f_678_step_05.py``
Moodle             ``Ada Lovelace_12345_assignsubmission_file_/step_05.py``
GitHub Classroom   ``attention-submissions/attention-ada/steps/step_05.py``
Blackboard         ``Step 05_ada_attempt_2026-01-02-03-04-05_step_05.py``, user names may have ``_``
Brightspace        ``12-34 - Ada Lovelace - Jan 2, 2026 304 AM/step_05.py``, or `` - step_05.py``
Gradescope         ``submission_345/step_05.py`` (:mod:`grader.classroom.gradescope`)
=================  =====================================================================

An archive inside counts as a folder of its name. What a platform writes comes first, so a name is
read from the left: what follows is the student's own, whatever it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from textwrap import wrap
from typing import NamedTuple

CANVAS = re.compile(
    r"(?:(?P<first>LATE_)?(?P<anonymous>anon_[A-Za-z0-9]{5})"
    r"|(?P<who>.+?)(?P<late>_LATE)?_(?P<id>\d+))"
    r"_(?:(?P<attachment>\d+)_(?P<file>.+)|(?:text|link)\.html)"
)
MOODLE = re.compile(r"(?P<who>.+?)(?:_(?P<id>\d+))?_assignsubmission_[a-z]+_?(?P<file>.*)")
BLACKBOARD = re.compile(
    r"(?P<left>.+?_.+?)_attempt_(?P<when>[0-9]{4}(?:-[0-9]{2}){5})(?:_(?P<file>.+)|\.txt)"
)
LOGIN = re.compile(r"[^_]*(?:_[0-9]+)*_(?P<login>.+)")
RECEIPT = re.compile(r".*\((?P<login>\S+)\)\s*")
"""The first line of Blackboard's own text beside a hand-in: ``Name: Ada Lovelace (ada)``."""
BRIGHTSPACE = re.compile(
    r"(?P<id>[0-9]{1,20})-[0-9]{1,20} ?- ?(?P<who>.+?) ?- ?"
    r"(?P<when>[A-Z][a-z]{2,8} [0-9]{1,2}, [0-9]{4} [0-9]{3,4} [AP]M)(?: ?- ?(?P<file>.+))?"
)
WHEN = "%b %d, %Y %I%M %p"
PYTHON = re.compile(r"\.(?:py(?:\.txt)?|ipynb)$", re.IGNORECASE)
NOTEBOOK = re.compile(r"\.ipynb$", re.IGNORECASE)
TEXT = re.compile(r"\.txt$", re.IGNORECASE)
"""What some systems make of ``.py``. It counts if the rest is the name of a step's file."""
STAMPED = re.compile(r"(?P<when>[0-9]{14})_(?P<file>.+)")
"""A file in ILIAS' folder of a student: when it was handed in, and its own name."""
STEP = re.compile(r"step[ _-]{0,9}0{0,9}(?P<number>[0-9]{1,3})(?![0-9])", re.IGNORECASE)
COPY = re.compile(
    r"[ _-]*(?:copy|\(?final\)?|\((?P<a>[0-9]{1,6})\)|[-_ ]v?(?P<b>[0-9]{1,6})| )+", re.IGNORECASE
)
ZIP = re.compile(r"\.zip$", re.IGNORECASE)
TEST_STUDENT = ("studenttest", "teststudent")
"""The folded name of the one whom Canvas adds to every course, in a roster and before a file."""
COPY_OF = re.compile(r"(?:copy of[ _]?)?", re.IGNORECASE)
NO_ANSWER = re.compile(r"(?:.*[^a-z])?(?:test|check|solution)", re.IGNORECASE | re.DOTALL)
"""What precedes ``step_05`` in a file about the step."""
JUNK = re.compile(
    r"\..*|index\.html|__MACOSX|__pycache__|venv|node_modules|thumbs\.db", re.IGNORECASE
)


@dataclass(frozen=True)
class Student:
    """Someone as the files name them. ``identifier`` is the platform's number, if it has one."""

    key: str
    identifier: str = ""


@dataclass(frozen=True)
class Placed:
    """Where one file belongs. ``step`` is a number without zeros, empty if no name says it.

    ``rank`` orders the candidates for one answer; the highest is the one to grade. ``when`` it was
    handed in, as ISO 8601 in the platform's own time, if its names say that.
    """

    student: Student
    step: str
    late: bool
    rank: tuple[int, ...]
    when: str = ""


def is_junk(name: str) -> bool:
    """Whether a file or folder of this name is never a submission: hidden, or made by a machine."""
    return JUNK.fullmatch(name) is not None


def prefix_of(wrapper: str) -> str:
    """What students' folders begin with, if ``wrapper`` is GitHub Classroom's folder of all."""
    return wrapper.removesuffix("submissions") if wrapper.endswith("-submissions") else ""


def is_one_students(folder: str, inside: Iterable[tuple[str, bool]]) -> bool:
    """Whether a folder is one student's own, and none of a class.

    ``inside`` has the name of each thing in it, and whether that is a folder.
    """
    if MOODLE.fullmatch(folder) or BRIGHTSPACE.fullmatch(folder):
        return True
    for name, is_folder in inside:
        if is_folder and name.lower() == "steps":
            return True
        found = None if is_folder or by_platform(name, folder=False) else step_in(name)
        if found and (_exact(found) or (PYTHON.search(name) and _nobody(found.before))):
            return True
    return False


class StepName(NamedTuple):
    """The name of a Python file with a step: what precedes the step, its number, what follows."""

    before: str
    number: str
    after: str


def step_in(name: str) -> StepName | None:
    """The step that the name of a Python file says."""
    ending = PYTHON.search(name) or TEXT.search(name)
    return _step_in(name[: ending.start()]) if ending else None


def _step_in(stem: str) -> StepName | None:
    found = STEP.search(stem)
    if found is None:
        return None
    return StepName(stem[: found.start()], found["number"].lstrip("0"), stem[found.end() :])


class Written(NamedTuple):
    """What a platform wrote: whose it is, the file's own name, if it is late, and when it came.

    ``title_and_login`` is what Blackboard writes of both. ``when`` is as in :class:`Placed`.
    """

    student: Student
    file: str
    late: bool = False
    when: str = ""
    title_and_login: str = ""


def by_platform(first: str, *, folder: bool) -> re.Match[str] | None:
    """How a platform's pattern fits the name of a folder or of a file; None if none does.

    Of several that fit, the one that ends first: the others fit what the student wrote.
    """
    bare = ZIP.sub("", first) if folder else first
    patterns = [MOODLE, BRIGHTSPACE]
    patterns += [CANVAS, BLACKBOARD] if not folder or ZIP.search(first) else []
    found = [match for each in patterns if (match := each.fullmatch(bare))]

    def end(match: re.Match[str]) -> int:
        return len(bare) if match["file"] is None else match.start("file")

    return min(found, key=end) if found else None


def written(first: str, *, folder: bool) -> Written | None:
    """What a platform wrote as the name of a folder, or before that of a file; None if none did."""
    name = by_platform(first, folder=folder)
    if name is None:
        return None
    file = name["file"] or ""
    if name.re is CANVAS:
        late = name["first"] is not None or name["late"] is not None
        return Written(Student(name["who"] or name["anonymous"], name["id"] or ""), file, late)
    if name.re is BLACKBOARD:
        day, clock = name["when"][:10], name["when"][11:].replace("-", ":")
        left = name["left"]
        return Written(Student(_login(left)), file, when=f"{day}T{clock}", title_and_login=left)
    if name.re is BRIGHTSPACE:
        # The number is Brightspace's own, and no roster's. It tells apart who shares a name.
        student = Student(name["who"], f"Brightspace {name['id']}")
        return Written(student, file, when=_in_words(name["when"]))
    return Written(Student(name["who"], name["id"] or ""), file)


def _login(left: str) -> str:
    """The user name after the title of an assignment. It has no blank, but it may have ``_``."""
    step = STEP.search(left)
    title = step.end() if step else 0
    for start in (max(title, left.rfind(" ")), title, 0):
        if found := LOGIN.fullmatch(left[start:]):
            return found["login"]
    return left


def login_in(receipt: str, left: str) -> str:
    """The user name that Blackboard's own text says; empty if its name does not end with that."""
    said = RECEIPT.fullmatch(receipt.partition("\n")[0])
    return said["login"] if said and left.endswith(f"_{said['login']}") else ""


def _in_words(when: str) -> str:
    """Brightspace's time, as ISO 8601."""
    with suppress(ValueError):
        day, time, half = when.rsplit(" ", 2)
        found = datetime.strptime(f"{day[:3]} {day.split(' ', 1)[1]} {time:0>4} {half}", WHEN)
        return found.isoformat()
    return ""


def student_of(path: tuple[str, ...], prefix: str = "") -> tuple[Student, bool, str] | None:
    """The student, whether late, and the file's name there; None if no name says it.

    The student depends on the first name alone, and on whether that is a folder.
    """
    first = path[0]
    folder = len(path) > 1
    name = path[-1]
    if told := written(first, folder=folder):
        return told.student, told.late, name if folder else told.file
    bare = ZIP.sub("", first) if folder else first
    if folder:
        return Student(bare.removeprefix(prefix) or bare or "?"), False, name
    ending = PYTHON.search(first)
    stem = first[: ending.start()] if ending else first.rpartition(".")[0]
    found = _step_in(stem)
    if found is None:  # a file that is no program and says no step may be anybody's
        return (Student(stem), False, "") if ending and stem else None
    who = found.before.rstrip(" _.-")
    return (Student(who), False, first[len(found.before) :]) if who else None


def place(path: tuple[str, ...], prefix: str = "") -> Placed | None:
    """Where the Python file or notebook at ``path`` belongs; None if it is nobody's answer."""
    python = PYTHON.search(path[-1]) is not None
    if any(is_junk(part) for part in path) or not (python or TEXT.search(path[-1])):
        return None
    known = student_of(path, prefix)
    if known is None:
        return None
    student, late, name = known
    told, folder = written(path[0], folder=len(path) > 1), len(path) > 1
    when = told.when if told else ""
    if not told and folder and (stamped := STAMPED.fullmatch(name)):
        when, name = "{}{}-{}-{}T{}:{}:{}".format(*wrap(stamped["when"], 2)), stamped["file"]
    near = 2 if len(path) > 1 and path[-2].lower() == "steps" else 1 if len(path) <= 2 else 0
    found = step_in(name)
    exact = found is not None and _exact(found)
    if not python and not exact:
        return None
    attempt = int("".join(filter(str.isdecimal, when)) or 0)
    if found is None or NO_ANSWER.match(found.before):
        return Placed(student, "", late, (attempt, 0, near, -len(path), 0, 0), when)
    copy = COPY.fullmatch(found.after)
    version = int(copy["a"] or copy["b"] or 0) if copy else 0
    ends_in_py = name.lower().endswith(".py")
    rank = (attempt, 2 if exact else 1, near, -len(path), ends_in_py, version)
    return Placed(student, found.number, late, rank, when)


def _exact(found: StepName) -> bool:
    """Whether a name is that of a step's file, or of a copy of it."""
    return _nobody(found.before) and (not found.after or COPY.fullmatch(found.after) is not None)


def _nobody(before: str) -> bool:
    """Whether what precedes ``step_05`` names nobody."""
    return COPY_OF.fullmatch(before) is not None
