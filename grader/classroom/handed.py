"""What one student handed in: the one file for each step, and its bytes.

Runs in that student's own process (:mod:`grader.classroom.reader`). What it returns is small, and
is checked against the types here by whoever receives it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated

import msgspec

from grader.base import course
from grader.base.blanks import make_stub
from grader.classroom.archive import Damaged
from grader.classroom.layout import NOTEBOOK, Placed, place
from grader.classroom.similar import MOST_RUNS
from grader.classroom.submissions import Files, Node, shown
from grader.source import notebook
from grader.source.problem import SourceProblem
from grader.source.read import MOST_BYTES

Text = Annotated[str, msgspec.Meta(max_length=1000)]
Runs = Annotated[frozenset[int], msgspec.Meta(max_length=MOST_RUNS)]
Bytes = Annotated[bytes, msgspec.Meta(max_length=MOST_BYTES)]
MOST_SKIPPED = 10
"""Lines on what was left out, for one student."""


class Handed(msgspec.Struct, frozen=True):
    """One answer: its bytes, or the problem that kept them from being read.

    ``origin`` is where it was found, ``note`` what the teacher may want to look at. ``damaged``:
    the file may be right, but it did not arrive. ``instead``: something else was handed in, and
    ``origin`` and ``problem`` say what. ``shape`` is that of the program
    (:mod:`grader.classroom.similar`), empty if it has none, and ``runs`` its runs of tokens.
    """

    origin: Text = ""
    data: Bytes | None = None
    late: bool = False
    problem: Text = ""
    hint: Text = ""
    note: Text = ""
    damaged: bool = False
    instead: bool = False
    shape: Text = ""
    runs: Runs = frozenset()


class HandIn(msgspec.Struct, frozen=True):
    """The answers of one student by step (``"s05"``), and what was left out."""

    answers: dict[str, Handed]
    skipped: Annotated[tuple[Text, ...], msgspec.Meta(max_length=MOST_SKIPPED)] = ()


_Candidate = tuple[Placed, tuple[str, ...], Node]


@dataclass
class _Found:
    """Files by step number, of no step, and not Python."""

    steps: dict[str, list[_Candidate]] = field(default_factory=lambda: defaultdict(list))
    unnamed: list[_Candidate] = field(default_factory=list)
    others: list[tuple[str, ...]] = field(default_factory=list)


def read(nodes: Iterable[Node], prefix: str, above: Sequence[str], steps: Sequence[str]) -> HandIn:
    """The answers to ``steps`` among ``nodes``, which belong to one student.

    ``prefix`` precedes students' names in those of folders, ``above`` are the folders around all.
    """
    files = Files()
    try:
        for node in nodes:
            files.add(node)
    except SourceProblem as problem:
        return HandIn(dict.fromkeys(steps, _unread(problem)))
    found = _Found()
    for path, node in files.found:
        placed = place(path, prefix)
        if placed is None:
            found.others.append(path)
        else:
            group = found.steps[placed.step] if placed.step else found.unnamed
            group.append((placed, path, node))
    answers = {}
    for step in steps:
        answer = _answer(found, files.broken, step, len(steps) == 1, tuple(above))
        if answer is None:
            answer = _instead(found, above)
        if answer is not None:
            answers[step] = answer
    return HandIn(answers, tuple(_few(files.skipped)))


def _answer(
    found: _Found,
    broken: Sequence[SourceProblem],
    step: str,
    only_step: bool,
    above: tuple[str, ...],
) -> Handed | None:
    number = step.removeprefix("s").lstrip("0")
    candidates = _best(found.steps.get(number, []), step)
    if not candidates and only_step and not found.steps:
        candidates = _best(found.unnamed, step)
        if len(candidates) > 1:
            names = ", ".join(_origins((path for _, path, _ in candidates), above))
            return Handed(problem=f"None of {names} is named step_{number.zfill(2)}.py")
    if not candidates:
        return _unread(broken[0]) if broken else None
    # Of two alike, the later one: unpacking would have kept that.
    placed, path, node = max(reversed(candidates), key=lambda each: each[0].rank)
    rivals = [other for _, other, _ in candidates if other is not path]
    note = f"also there: {', '.join(_origins(rivals, above))}" if rivals else ""
    origin = _origin(path, above)
    try:
        data = _program(node, step)
        return Handed(origin, data, placed.late, note=note)
    except SourceProblem as problem:
        return _unread(problem, origin, placed.late, note)


def _unread(problem: SourceProblem, origin: str = "", late: bool = False, note: str = "") -> Handed:
    damaged = isinstance(problem, Damaged)
    message, hint = problem.message[:1000], (problem.hint or "")[:1000]
    return Handed(origin, None, late, message, hint, note, damaged)


def _best(candidates: list[_Candidate], step: str) -> list[_Candidate]:
    """Python files; notebooks only where there is none, or none but the untouched stub."""
    python = [each for each in candidates if not NOTEBOOK.search(each[2].name)]
    others = [each for each in candidates if each not in python]
    if others and all(_is_stub(node, step) for *_, node in python):
        return others
    return python


def _is_stub(node: Node, step: str) -> bool:
    with suppress(SourceProblem):
        return node.read().replace(b"\r\n", b"\n") == stub(step)
    return False


@cache
def stub(step: str) -> bytes:
    """The stub of a step, which the process of a student inherits."""
    return make_stub(course.find(step).solution.read_text(encoding="utf-8")).encode()


def _program(node: Node, step: str) -> bytes:
    if NOTEBOOK.search(node.name):
        return notebook.program(node.read(notebook.LARGEST), shown(node.name), step)
    return node.read()


def _instead(found: _Found, above: Sequence[str]) -> Handed | None:
    """What someone without an answer handed in, for that person's own row."""
    for paths, why in (
        ([path for _, path, _ in found.unnamed], "no step number in the name"),
        ([path for each in found.steps.values() for _, path, _ in each], "another step"),
        (found.others, "not a Python file"),
    ):
        if paths:
            origin = ", ".join(_origins(paths, above))
            return Handed(origin[:1000], problem=f"{why}: {origin}"[:1000], instead=True)
    return None


def _origins(paths: Iterable[tuple[str, ...]], above: Sequence[str]) -> list[str]:
    names = [_origin(path, above) for path in paths]
    return names[:3] + ([f"{len(names) - 3} more"] if len(names) > 3 else [])


def _origin(path: tuple[str, ...], above: Sequence[str]) -> str:
    return shown("/".join((*above, *path)))


def _few(lines: Sequence[str]) -> Sequence[str]:
    if len(lines) <= MOST_SKIPPED:
        return lines
    return [*lines[: MOST_SKIPPED - 1], f"{len(lines) - MOST_SKIPPED + 1} more left out"]
