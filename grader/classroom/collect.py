"""Finds the one file of each student for each step, and reads it."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.base.files import Unusable
from grader.classroom.layout import Placed, Student, place, student_of, unwrapped
from grader.classroom.submissions import Entry, Submissions, list_submissions, shown
from grader.source.read import SourceProblem


@dataclass(frozen=True)
class Answer:
    """What one student handed in for one step.

    ``digest`` names the bytes. If the file cannot be read, ``problem`` says why, and there are
    none. ``origin`` is where it was found, ``note`` what the teacher may want to look at.
    """

    origin: str
    digest: str = ""
    late: bool = False
    problem: str = ""
    hint: str = ""
    note: str = ""


@dataclass(frozen=True)
class Collected:
    """Everyone who handed something in, sorted, their answers by step, and what was left out."""

    students: tuple[Student, ...]
    answers: Mapping[tuple[Student, str], Answer]
    skipped: tuple[str, ...]


@dataclass
class _Found:
    """What one student handed in: files by step number, of no step, and not Python."""

    steps: dict[str, list[tuple[Placed, Entry]]] = field(default_factory=lambda: defaultdict(list))
    unnamed: list[tuple[Placed, Entry]] = field(default_factory=list)
    broken: list[SourceProblem] = field(default_factory=list)
    others: list[Entry] = field(default_factory=list)


def collect(where: Path, steps: Sequence[str], spool: Path, apart: Path | None = None) -> Collected:
    """Read what was handed in at ``where`` for ``steps`` (``"s05"``).

    The bytes of every answer go into the folder ``spool``, named by their digest. The folder
    ``apart`` contains results, not submissions, wherever it is.

    Raises:
        Unusable: nothing there can be graded.
        OSError: ``spool`` cannot be written.
    """
    listed = list_submissions(where, apart)
    found = _sorted_out(listed)
    if not found:
        raise Unusable(
            f"No submission was found in {shown(str(where))}. It should contain a folder for each "
            "student (ada/step_05.py) or a file for each (ada.py)."
        )
    answers = {}
    for student in found:
        for step in steps:
            answer = _answer(found[student], step, len(steps) == 1, spool)
            if answer is not None:
                answers[student, step] = answer
    for student, each in found.items():
        if not any((student, step) in answers for step in steps):
            listed.skipped += _instead(each)
    students = sorted(found, key=lambda each: (each.key.casefold(), each.key, each.identifier))
    return Collected(tuple(students), answers, tuple(listed.skipped))


def only(where: Path, step: str, spool: Path) -> Answer | None:
    """The answer in one student's own folder; its bytes go into ``spool``."""
    listed = list_submissions(where)
    listed.entries = [Entry(("student", *each.path), each.read) for each in listed.entries]
    listed.folders = []
    listed.broken = {("student", *path): why for path, why in listed.broken.items()}
    found = _sorted_out(listed, (0, ""))
    return next((_answer(each, step, True, spool) for each in found.values()), None)


def _sorted_out(
    listed: Submissions, wrapped: tuple[int, str] | None = None
) -> dict[Student, _Found]:
    """The files of each student. Includes students who handed in only something else."""
    paths = [entry.path for entry in listed.entries] + list(listed.broken)
    skip, prefix = wrapped or unwrapped(paths or listed.folders)
    found: dict[Student, _Found] = defaultdict(_Found)
    for folder in listed.folders:
        if len(folder) == skip + 1 and (known := student_of((*folder[skip:], ""), prefix)):
            found[known[0]]
    for entry in listed.entries:
        path = entry.path[skip:]
        placed = place(path, prefix)
        if placed is not None:
            mine = found[placed.student]
            (mine.steps[placed.step] if placed.step else mine.unnamed).append((placed, entry))
        elif (known := student_of(path, prefix)) is not None:
            found[known[0]].others.append(entry)
        elif path:
            listed.skip("/".join(path), "the name contains no student's name")
    for archive, problem in listed.broken.items():
        if known := student_of((*archive[skip:], ""), prefix):
            found[known[0]].broken.append(problem)
    return found


def _answer(found: _Found, step: str, only_step: bool, spool: Path) -> Answer | None:
    number = step.removeprefix("s").lstrip("0")
    candidates = found.steps.get(number, [])
    if not candidates and only_step and not found.steps:
        candidates = found.unnamed
        if len(candidates) > 1:
            names = ", ".join(_origins(entry for _, entry in candidates))
            return Answer("", problem=f"None of {names} is named step_{number.zfill(2)}.py")
    if not candidates:
        if found.broken:
            return Answer("", problem=found.broken[0].message, hint=found.broken[0].hint or "")
        return None
    # Of two alike, the later one: unpacking would have kept that.
    placed, entry = max(reversed(candidates), key=lambda each: each[0].rank)
    rivals = [other for _, other in candidates if other is not entry]
    note = f"also there: {', '.join(_origins(rivals))}" if rivals else ""
    return _read(placed, entry, note, spool)


def _instead(found: _Found) -> Iterable[str]:
    """What someone without an answer to any step handed in."""
    if found.unnamed:
        names = ", ".join(_origins(entry for _, entry in found.unnamed))
        yield f"{names}: no step number in the name"
    elif found.others:
        yield f"{', '.join(_origins(found.others))}: not a Python file"


def _origins(entries: Iterable[Entry]) -> list[str]:
    names = [shown("/".join(entry.path)) for entry in entries]
    return names[:3] + ([f"{len(names) - 3} more"] if len(names) > 3 else [])


def _read(placed: Placed, entry: Entry, note: str, spool: Path) -> Answer:
    origin = shown("/".join(entry.path))
    try:
        data = entry.read()
    except SourceProblem as problem:
        return Answer(
            origin, late=placed.late, problem=problem.message, hint=problem.hint or "", note=note
        )
    digest = hashlib.sha256(data).hexdigest()
    (spool / digest).write_bytes(data)
    return Answer(origin, digest, placed.late, note=note)
