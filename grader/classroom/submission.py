"""Finds what one student handed in: the one file for each step, and its bytes.

This runs in that student's own process (:mod:`grader.classroom.reader`). What it returns is small,
and the receiver checks it against the types here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from itertools import accumulate
from typing import Annotated, NamedTuple

import msgspec

from grader.base import course
from grader.base.blanks import EARLIER, make_stub
from grader.classroom import similarity
from grader.classroom.file_tree import Files, Node, shown
from grader.classroom.layout import NOTEBOOK, Placed, place, written
from grader.classroom.similarity import MOST_RUNS
from grader.classroom.zip_reader import Damaged
from grader.source import notebook
from grader.source.errors import SourceProblem
from grader.source.parser import MOST_BYTES

Text = Annotated[str, msgspec.Meta(max_length=1000)]
Runs = Annotated[frozenset[int], msgspec.Meta(max_length=MOST_RUNS)]
Bytes = Annotated[bytes, msgspec.Meta(max_length=MOST_BYTES)]
MOST_SKIPPED = 10
"""Lines about what was left out, for one student."""
MOST_NAMES = 700
"""Characters for the names of all possible answers."""
STAMP = "timestamp.txt"
DEFINED = re.compile(rb"^(?:class|def) (\w+)", re.MULTILINE)


class StepFile(msgspec.Struct, frozen=True):
    """One answer: its bytes, or the problem that kept them from being read.

    ``origin`` is where it was found, ``note`` what the teacher should know. ``damaged``: the file
    may be right, but it did not arrive whole. ``instead``: something else was handed in, and
    ``origin`` and ``problem`` say what. ``shape`` is that of the program
    (:mod:`grader.classroom.similarity`), empty if it has none, and ``runs`` its runs of tokens.
    ``when`` is the time of submission as the platform writes it, if it does.
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
    when: Text = ""


class Submission(msgspec.Struct, frozen=True):
    """The answers of one student by step (``"s05"``), and what was left out."""

    answers: dict[str, StepFile]
    skipped: Annotated[tuple[Text, ...], msgspec.Meta(max_length=MOST_SKIPPED)] = ()


_Path = tuple[str, ...]


class _Candidate(NamedTuple):
    """A file that may be an answer."""

    placed: Placed
    path: _Path
    node: Node


@dataclass
class _Found:
    """Files by step number, of no step, and not Python; ``above`` are the folders around all.

    ``when`` they were handed in and ``until`` when an attempt counts, by step, if known.
    """

    above: _Path
    until: Mapping[str, str]
    when: str = ""
    steps: dict[str, list[_Candidate]] = field(default_factory=lambda: defaultdict(list))
    unnamed: list[_Candidate] = field(default_factory=list)
    others: list[_Path] = field(default_factory=list)


def read(
    nodes: Iterable[Node],
    prefix: str,
    above: Sequence[str],
    steps: Sequence[str],
    until: Mapping[str, str],
    times: Mapping[str, str],
) -> Submission:
    """Return the answers to ``steps`` among ``nodes``, which belong to one student.

    ``prefix`` precedes students' names in folder names, ``above`` are the folders around all.
    ``until`` says until when attempts count, by step, and ``times`` when each node was handed in,
    by its name.
    """
    files = Files(given=course_folders())
    try:
        for node in nodes:
            files.add(node)
    except SourceProblem as problem:
        return Submission(dict.fromkeys(steps, _unread(problem)))
    told = [when for path, _ in files.found if (when := times.get(path[0]))]
    found = _Found(tuple(above), until, max(told, default="") or _stamp(files.found))
    for path, node in files.found:
        placed = place(path, prefix)
        if placed is None:
            found.others.append(path)
        else:
            group = found.steps[placed.step] if placed.step else found.unnamed
            group.append(_Candidate(placed, path, node))
    answers = {}
    for step in steps:
        answer = _answer(found, files.broken, step, len(steps) == 1)
        if answer is None:
            answer = _instead(found)
        if answer is not None:
            answers[step] = answer
    return Submission(answers, tuple(_few(files.skipped)))


@cache
def course_folders() -> frozenset[str]:
    """Return the folders of the course that a student does not edit."""
    return frozenset(path.name for path in course.ROOT.iterdir() if path.is_dir()) - {"steps"}


def _answer(
    found: _Found, broken: Sequence[SourceProblem], step: str, only_step: bool
) -> StepFile | None:
    number = step.removeprefix("s").lstrip("0")
    named, every = found.steps.get(number, []), [*found.steps.get(number, []), *found.unnamed]
    stubs = [each for each in every if len(every) > 1 and _is_stub(each, step)]
    candidates = (
        _best([each for each in named if each not in stubs])
        or _unnamed(found, [each for each in found.unnamed if each not in stubs], step, only_step)
        or _best(named)
        or _unnamed(found, found.unnamed, step, only_step)
    )
    if not candidates and only_step and not found.steps and found.unnamed:
        names = ", ".join(_origins((each.path for each in found.unnamed), found.above))
        return StepFile(problem=f"None of {names} is named step_{number.zfill(2)}.py")
    if not candidates:
        return _unread(broken[0]) if broken else None
    last = found.until.get(step, "")
    in_time = [each for each in candidates if each.placed.when and each.placed.when <= last]
    # If two have the same rank, take the later one, as unpacking would have done.
    chosen = max(reversed(in_time or candidates), key=lambda each: each.placed.rank)
    rivals = [each for each in dict.fromkeys([*candidates, *named, *stubs]) if each is not chosen]
    note = f"also there: {', '.join(_rivals(rivals, stubs, found.above))}" if rivals else ""
    origin, late = _origin(chosen.path, found.above), chosen.placed.late
    when = (chosen.placed.when or found.when)[:100]
    try:
        return StepFile(origin, _program(chosen.node, step), late, note=note, when=when)
    except SourceProblem as problem:
        return _unread(problem, origin, late, note)


def _stamp(files: Sequence[tuple[_Path, Node]]) -> str:
    """Return the time that nbgrader and Sakai write to a file beside the submission."""
    for path, node in sorted(files, key=lambda each: len(each[0])):
        if path[-1] == STAMP and 1 < len(path) < 4 and not written(path[0], folder=True):
            with suppress(SourceProblem):
                return node.read().decode("utf-8", "replace").strip()[:100]
    return ""


def _unnamed(
    found: _Found, unnamed: list[_Candidate], step: str, only_step: bool
) -> list[_Candidate]:
    """Find the answer to a step whose name does not say so: it defines what the stub defines.

    Or it is the only file besides untouched stubs.
    """
    defining, best = [each for each in unnamed if _defines(each, step)], _best(unnamed)
    if defining or not only_step or len(best) != 1:
        return _best(defining)
    named = ((f"s{number:0>2}", each) for number, group in found.steps.items() for each in group)
    return best if all(_is_stub(each, of) for of, each in named) else []


def _defines(candidate: _Candidate, step: str) -> bool:
    with suppress(SourceProblem):
        wanted = set(DEFINED.findall(stub(step)))
        return bool(wanted) and wanted <= set(DEFINED.findall(_program(candidate.node, step)))
    return False


def _unread(error: SourceProblem, origin: str = "", late: bool = False, note: str = "") -> StepFile:
    damaged = isinstance(error, Damaged)
    message, hint = error.message[:1000], (error.hint or "")[:1000]
    return StepFile(origin, None, late, message, hint, note, damaged)


def _best(candidates: list[_Candidate]) -> list[_Candidate]:
    """Return the Python files, or the notebooks if there are none."""
    python = [each for each in candidates if not NOTEBOOK.search(each.node.name)]
    return python or candidates


def _is_stub(candidate: _Candidate, step: str) -> bool:
    """Whether it is the untouched stub, apart from names, comments and layout."""
    with suppress(SourceProblem):
        data = _program(candidate.node, step).replace(b"\r\n", b"\n")
        if len(data) > 2 * len(stub(step)) + 1000:  # comparing them takes long
            return False
        return sha256(data).hexdigest() in earlier_stubs() or similarity.shape(data) == shape(step)
    return False


@cache
def stub(step: str) -> bytes:
    """Return a step's stub, which a student's process inherits; empty if there is no such step."""
    try:
        return make_stub(course.find(step).solution.read_text(encoding="utf-8")).encode()
    except course.UnknownStep:
        return b""


@cache
def shape(step: str) -> str | None:
    """Return the shape of a step's stub."""
    return similarity.shape(stub(step))


@cache
def earlier_stubs() -> frozenset[str]:
    """Return the digests of the stubs of earlier releases of the course."""
    with suppress(FileNotFoundError):
        lines = (course.ROOT / "steps" / EARLIER).read_text(encoding="utf-8").splitlines()
        return frozenset(line.partition(" ")[0] for line in lines)
    return frozenset()


def _program(node: Node, step: str) -> bytes:
    if NOTEBOOK.search(node.name):
        return notebook.program(node.read(notebook.LARGEST), shown(node.name), step)
    return node.read()


def _instead(found: _Found) -> StepFile | None:
    """Say what someone without an answer handed in, for that person's row."""
    for paths, why in (
        ([each.path for each in found.unnamed], "no step number in the name"),
        ([each.path for group in found.steps.values() for each in group], "another step"),
        (found.others, "not a Python file"),
    ):
        if paths:
            origin = ", ".join(_origins(paths, found.above))
            return StepFile(origin[:1000], problem=f"{why}: {origin}"[:1000], instead=True)
    return None


def _rivals(rivals: Iterable[_Candidate], stubs: Container[_Candidate], above: _Path) -> list[str]:
    """Return the names of all possible answers, and say which of them are untouched stubs."""
    said = [
        _origin(each.path, above) + (" (the untouched stub)" if each in stubs else "")
        for each in rivals
    ]
    fit = sum(total <= MOST_NAMES for total in accumulate(len(each) + 2 for each in said))
    return said[:fit] + ([f"{len(said) - fit} more"] if len(said) > fit else [])


def _origins(paths: Iterable[_Path], above: Sequence[str]) -> list[str]:
    names = [_origin(path, above) for path in paths]
    return names[:3] + ([f"{len(names) - 3} more"] if len(names) > 3 else [])


def _origin(path: tuple[str, ...], above: Sequence[str]) -> str:
    return shown("/".join((*above, *path)))


def _few(lines: Sequence[str]) -> Sequence[str]:
    if len(lines) <= MOST_SKIPPED:
        return lines
    return [*lines[: MOST_SKIPPED - 1], f"{len(lines) - MOST_SKIPPED + 1} more left out"]
