"""Whose file is it, and which step? Read from the names alone, as learning platforms make them.

=================  =====================================================================
folder of folders  ``ada/step_05.py``, ``ada/steps/step_05.py``
folder of files    ``ada.py``, ``ada_step_05.py``
Canvas             ``lovelaceada_LATE_12345_67890_step_05-2.py``, ``anon_X7k2f_678_step_05.py``
Moodle             ``Ada Lovelace_12345_assignsubmission_file_/step_05.py``
GitHub Classroom   ``attention-submissions/attention-ada/steps/step_05.py``
=================  =====================================================================

An archive inside counts as a folder of its name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

CANVAS = re.compile(
    r"(?:(?P<first>LATE_)?(?P<anonymous>anon_[A-Za-z0-9]{5})"
    r"|(?P<who>.+?)(?P<late>_LATE)?_(?P<id>\d+))"
    r"_(?:\d+_(?P<file>.+)|(?:text|link)\.html)"
)
MOODLE = re.compile(r"(?P<who>.+?)(?:_(?P<id>\d+))?_assignsubmission_[a-z]+_?(?P<file>.*)")
STEP = re.compile(
    r"(?P<before>.*?)step[ _-]*0*(?P<number>\d{1,3})(?!\d)(?P<after>.*?)\.py(?:\.txt)?",
    re.IGNORECASE,
)
COPY = re.compile(r"[ _-]*(?:copy|\((?P<a>\d+)\)|[-_ ]v?(?P<b>\d+)| )+", re.IGNORECASE)
COPY_OF = re.compile(r"(?:copy of[ _]?)?", re.IGNORECASE)
NO_ANSWER = re.compile(r"(?:.*[^a-z])?(?:test|check|solution)", re.IGNORECASE)
"""What precedes ``step_05`` in a file about the step."""
JUNK = re.compile(r"\..*|__MACOSX|__pycache__|venv|node_modules|thumbs\.db", re.IGNORECASE)


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
    rank: tuple[int, int, int, int]


def is_junk(name: str) -> bool:
    """Whether a file or folder of this name is never a submission: hidden, or made by a machine."""
    return JUNK.fullmatch(name) is not None


def unwrapped(paths: Sequence[tuple[str, ...]]) -> tuple[int, str]:
    """How many folders around everything to ignore, and the assignment's name before students'.

    A folder that contains everything is a wrapper, unless it is a student's own. GitHub Classroom's
    ``attention-submissions`` says that students' folders begin with ``attention-``.
    """
    skip, prefix = 0, ""
    while paths and len({path[skip] for path in paths if len(path) > skip}) == 1:
        inside = [path[skip + 1 :] for path in paths]
        if not all(inside) or any(_student_folder(rest) for rest in inside):
            break
        if MOODLE.fullmatch(paths[0][skip]):
            break
        name = paths[0][skip]
        prefix = name.removesuffix("submissions") if name.endswith("-submissions") else ""
        skip += 1
    return skip, prefix


def _student_folder(rest: tuple[str, ...]) -> bool:
    """Whether a folder that contains this path is one student's own."""
    if len(rest) == 1:
        found = STEP.fullmatch(rest[0])
        return found is not None and _nobody(found["before"])
    return rest[0].lower() == "steps"


def student_of(path: tuple[str, ...], prefix: str = "") -> tuple[Student, bool, str] | None:
    """The student, whether late, and the file's name there; None if no name says it."""
    first = path[0]
    folder = len(path) > 1
    bare = first.removesuffix(".zip") if folder else first
    name = path[-1]
    if moodle := MOODLE.fullmatch(bare):
        return Student(_tidy(moodle["who"]), moodle["id"] or ""), False, moodle["file"] or name
    if (canvas := CANVAS.fullmatch(bare)) and (not folder or first.endswith(".zip")):
        late = canvas["first"] is not None or canvas["late"] is not None
        student = Student(_tidy(canvas["who"] or canvas["anonymous"]), canvas["id"] or "")
        return student, late, name if folder else canvas["file"] or ""
    if folder:
        return Student(_tidy(bare.removeprefix(prefix) or bare)), False, name
    found = STEP.fullmatch(first)
    if found is None:
        stem, dot, _ = first.rpartition(".py")
        return (Student(_tidy(stem)), False, "") if stem and dot else None
    who = found["before"].rstrip(" _.-")
    return (Student(_tidy(who)), False, first[found.end("before") :]) if who else None


def place(path: tuple[str, ...], prefix: str = "") -> Placed | None:
    """Where the Python file at ``path`` belongs; None if it is nobody's answer."""
    if any(is_junk(part) for part in path) or not re.search(
        r"\.py(\.txt)?$", path[-1], re.IGNORECASE
    ):
        return None
    known = student_of(path, prefix)
    if known is None:
        return None
    student, late, name = known
    near = 2 if len(path) > 1 and path[-2].lower() == "steps" else 1 if len(path) <= 2 else 0
    found = STEP.fullmatch(name)
    if found is None or NO_ANSWER.match(found["before"]):
        return Placed(student, "", late, (0, near, -len(path), 0))
    copy = COPY.fullmatch(found["after"])
    exact = 2 if _nobody(found["before"]) and (copy or not found["after"]) else 1
    version = int(copy["a"] or copy["b"] or 0) if copy else 0
    return Placed(student, found["number"], late, (exact, near, -len(path), version))


def _nobody(before: str) -> bool:
    """Whether what precedes ``step_05`` names nobody."""
    return COPY_OF.fullmatch(before) is not None


def _tidy(name: str) -> str:
    """One spelling of a name: some systems decompose accented letters."""
    return unicodedata.normalize("NFC", name).strip() or "?"
