"""Whose file is it, and which step? Read from the names alone, as learning platforms make them.

=================  =====================================================================
folder of folders  ``ada/step_05.py``, ``ada/steps/step_05.py``
folder of files    ``ada.py``, ``ada_step_05.py``
Canvas             ``lovelaceada_LATE_12345_67890_step_05-2.py``, ``anon_X7k2f_678_step_05.py``
Moodle             ``Ada Lovelace_12345_assignsubmission_file_/step_05.py``
GitHub Classroom   ``attention-submissions/attention-ada/steps/step_05.py``
Blackboard         ``Step 05_ada_attempt_2026-01-02-03-04-05_step_05.py``
Brightspace        ``12-34 - Ada Lovelace - Jan 2, 2026 304 AM/step_05.py``, or `` - step_05.py``
Gradescope         ``submission_345/step_05.py`` (:mod:`grader.classroom.gradescope`)
=================  =====================================================================

An archive inside counts as a folder of its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

CANVAS = re.compile(
    r"(?:(?P<first>LATE_)?(?P<anonymous>anon_[A-Za-z0-9]{5})"
    r"|(?P<who>.+?)(?P<late>_LATE)?_(?P<id>\d+))"
    r"_(?:(?P<attachment>\d+)_(?P<file>.+)|(?:text|link)\.html)"
)
MOODLE = re.compile(r"(?P<who>.+?)(?:_(?P<id>\d+))?_assignsubmission_[a-z]+_?(?P<file>.*)")
BLACKBOARD = re.compile(
    r".*_(?P<who>[^_]+)_attempt_(?P<when>[0-9]{4}(?:-[0-9]{2}){5})(?:_(?P<file>.+)|\.txt)"
)
BRIGHTSPACE = re.compile(
    r"(?P<id>[0-9]{1,20})-[0-9]{1,20} ?- ?(?P<who>.+?) ?- ?"
    r"(?P<when>[A-Z][a-z]{2,8} [0-9]{1,2}, [0-9]{4} [0-9]{3,4} [AP]M)(?: ?- ?(?P<file>.+))?"
)
WHEN = "%b %d, %Y %I%M %p"
PYTHON = re.compile(r"\.(?:py(?:\.txt)?|ipynb)$", re.IGNORECASE)
NOTEBOOK = re.compile(r"\.ipynb$", re.IGNORECASE)
STEP = re.compile(r"step[ _-]{0,9}0{0,9}(?P<number>[0-9]{1,3})(?![0-9])", re.IGNORECASE)
COPY = re.compile(
    r"[ _-]*(?:copy|\((?P<a>[0-9]{1,6})\)|[-_ ]v?(?P<b>[0-9]{1,6})| )+", re.IGNORECASE
)
ZIP = re.compile(r"\.zip$", re.IGNORECASE)
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

    ``rank`` orders the candidates for one answer; the highest is the one to grade.
    """

    student: Student
    step: str
    late: bool
    rank: tuple[int, ...]


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
        found = None if is_folder else step_in(name)
        if (found and _nobody(found.before)) or (is_folder and name.lower() == "steps"):
            return True
    return False


class StepName(NamedTuple):
    """The name of a Python file with a step: what precedes the step, its number, what follows."""

    before: str
    number: str
    after: str


def step_in(name: str) -> StepName | None:
    """The step that the name of a Python file says."""
    ending = PYTHON.search(name)
    return _step_in(name[: ending.start()]) if ending else None


def _step_in(stem: str) -> StepName | None:
    found = STEP.search(stem)
    if found is None:
        return None
    return StepName(stem[: found.start()], found["number"].lstrip("0"), stem[found.end() :])


def student_of(path: tuple[str, ...], prefix: str = "") -> tuple[Student, bool, str] | None:
    """The student, whether late, and the file's name there; None if no name says it.

    The student depends on the first name alone, and on whether that is a folder.
    """
    first = path[0]
    folder = len(path) > 1
    bare = ZIP.sub("", first) if folder else first
    name = path[-1]
    if moodle := MOODLE.fullmatch(bare):
        name = name if folder else moodle["file"]
        return Student(moodle["who"], moodle["id"] or ""), False, name
    if (canvas := CANVAS.fullmatch(bare)) and (not folder or ZIP.search(first)):
        late = canvas["first"] is not None or canvas["late"] is not None
        student = Student(canvas["who"] or canvas["anonymous"], canvas["id"] or "")
        return student, late, name if folder else canvas["file"] or ""
    if (blackboard := BLACKBOARD.fullmatch(bare)) and (not folder or ZIP.search(first)):
        return Student(blackboard["who"]), False, name if folder else blackboard["file"] or ""
    if brightspace := BRIGHTSPACE.fullmatch(bare):
        # The number is Brightspace's own, and no roster's. It tells apart who shares a name.
        student = Student(brightspace["who"], f"Brightspace {brightspace['id']}")
        return student, False, name if folder else brightspace["file"] or ""
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
    if any(is_junk(part) for part in path) or not PYTHON.search(path[-1]):
        return None
    known = student_of(path, prefix)
    if known is None:
        return None
    student, late, name = known
    near = 2 if len(path) > 1 and path[-2].lower() == "steps" else 1 if len(path) <= 2 else 0
    found = step_in(name)
    if found is None or NO_ANSWER.match(found.before):
        return Placed(student, "", late, (0, 0, near, -len(path), 0))
    copy = COPY.fullmatch(found.after)
    exact = 2 if _nobody(found.before) and (copy or not found.after) else 1
    version = int(copy["a"] or copy["b"] or 0) if copy else 0
    rank = (_attempt(path[0]), exact, near, -len(path), version)
    return Placed(student, found.number, late, rank)


def _attempt(name: str) -> int:
    """A number that is larger for later attempts, if the platform keeps several."""
    bare = ZIP.sub("", name)
    if blackboard := BLACKBOARD.fullmatch(bare):
        return int(blackboard["when"].replace("-", ""))
    if brightspace := BRIGHTSPACE.fullmatch(bare):
        with suppress(ValueError):
            day, time, half = brightspace["when"].rsplit(" ", 2)
            when = datetime.strptime(f"{day[:3]} {day.split(' ', 1)[1]} {time:0>4} {half}", WHEN)
            return int(when.strftime("%Y%m%d%H%M"))
    return 0


def _nobody(before: str) -> bool:
    """Whether what precedes ``step_05`` names nobody."""
    return COPY_OF.fullmatch(before) is not None
