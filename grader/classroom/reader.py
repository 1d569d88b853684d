"""The process that reads what was handed in, so that no other has to.

It lists the folder or the archive of the class and forks a process for each student, which reads
the student's names and files within limits (:mod:`grader.isolation.fork_map`). Whatever fails there
appears in that student's row. What it sends to the grader is small and typed.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from multiprocessing.connection import Connection
from typing import NamedTuple

import msgspec

from grader.base import course
from grader.base.files import Unusable
from grader.base.machine import cores
from grader.classroom import similarity, submission, zip_reader
from grader.classroom.file_tree import MOST_IN_ALL, Node, OnDisk, shown, whole
from grader.classroom.layout import Student, is_junk, is_one_students, prefix_of
from grader.classroom.owners import Class, students
from grader.classroom.submission import Runs, StepFile, Submission, Text
from grader.isolation import allowlist, fork_map, kernel, landlock
from grader.isolation.fork_map import Stopped
from grader.source.errors import SourceProblem

NOT_COMPARED = msgspec.msgpack.encode(("", ()))
MOST_LINES = 200
"""Lines about what was left out of a class's archive."""


Until = Mapping[tuple[str, str], Mapping[str, str]]
ALWAYS: Until = {}


class Request(NamedTuple):
    """What to read: a folder or an archive, for which steps; ``out`` in it is nobody's.

    ``until`` says until when attempts count, by a student's key and identifier, and step.
    ``one``: it is the folder of one student.
    """

    place: str
    out: str
    steps: tuple[str, ...]
    until: Until = ALWAYS
    one: bool = False


class Read(msgspec.Struct, frozen=True, tag=True):
    """What one student handed in. A name need not be valid text, so it is sent as bytes."""

    key: bytes
    identifier: Text
    found: Submission


class End(msgspec.Struct, frozen=True, tag=True):
    """The last message. ``refused``: why nothing is usable; ``skipped``: what was nobody's."""

    skipped: tuple[Text, ...] = ()
    refused: str = ""


Message = Read | End


def main(pipe: Connection, request: Request, parent: int) -> None:
    """Read everything and send it. The process ends with its parent."""
    kernel.die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(BrokenPipeError):
        try:
            for message in messages(request):
                pipe.send_bytes(msgspec.msgpack.encode(message))
        except (Unusable, SourceProblem) as problem:
            pipe.send_bytes(msgspec.msgpack.encode(End(refused=str(problem))))


def messages(request: Request) -> Iterator[Message]:
    """Yield everyone's submission, then the end.

    Raises:
        Unusable, SourceProblem: the folder or the archive cannot be opened.
    """
    skipped: list[str] = []
    root = _root(request)
    for step in request.steps:  # imports what a student's process could not, and caches it
        _compared((step, b"x = 1\n"))
        submission.shape(step)
    submission.earlier_stubs()
    submission.course_folders()
    _confine(request.place)
    if request.one:
        yield from _read({Student("student"): [root]}, Class([], "", (), {}), request)
        yield End()
        return
    found = _class(root, skipped)
    yield from _read(students(found, skipped), found, request)
    more = len(skipped) - MOST_LINES
    yield End((*skipped[:MOST_LINES], *([f"{more} more left out"] if more > 0 else [])))


class _Top(Node):
    """A class's archive, as a folder with its contents."""

    folder = True

    def __init__(self, path: str, name: str) -> None:
        super().__init__(name)
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._archive = zip_reader.of_file(descriptor, shown(name), MOST_IN_ALL)

    def inside(self, skipped: list[str]) -> Sequence[Node]:
        return whole(self._archive, skipped)

    def read(self, most: int = 0) -> bytes:
        raise SourceProblem(f"{shown(self.name)} is a folder")


def _root(request: Request) -> Node:
    place = request.place
    name = os.path.basename(place)  # noqa: PTH119 - a name need not be text
    try:
        if os.path.isdir(place):  # noqa: PTH112
            return OnDisk(place, "student" if request.one else name, True, False, request.out)
        return _Top(place, name)
    except OSError as problem:
        raise Unusable(f"{shown(place)} cannot be opened: {problem.strerror}.") from None
    except SourceProblem as problem:
        raise Unusable(f"{problem.message}. Name a folder or a zip file.") from None


def _confine(place: str) -> None:
    """Allow this process and its children to read ``place`` and Python, and nothing else."""
    programs = (*allowlist.SYSTEM, sys.prefix, sys.base_prefix, *sys.path, *allowlist.KERNEL)
    rules = [(os.path.realpath(path), landlock.READ) for path in (*programs, place)]
    with suppress(OSError):
        landlock.restrict(rules)


def _class(root: Node, skipped: list[str]) -> Class:
    """Find the entries of a class. If one folder contains everything, look inside it.

    That is unless it is a student's own. An archive is always opened.
    """
    node, prefix = root, ""
    above: tuple[str, ...] = ()
    while True:
        inside = [each for each in node.inside(skipped) if not is_junk(each.name)]
        one = inside[0] if len(inside) == 1 else None
        if one is None or not one.folder or one.archive:
            return Class(inside, prefix, above, {})
        with suppress(SourceProblem):
            below = [(each.name, each.folder) for each in one.inside([]) if not is_junk(each.name)]
            if below and not is_one_students(one.name, below):
                node, above, prefix = one, (*above, one.name), prefix_of(one.name)
                continue
        return Class(inside, prefix, above, {})


def _read(everyone: dict[Student, list[Node]], found: Class, request: Request) -> Iterator[Read]:
    steps = request.steps
    begun: deque[tuple[Student, Iterator[bytes | Stopped]]] = deque()
    for student, nodes in everyone.items():
        until = request.until.get((student.key, student.identifier), {})
        begun.append((student, fork_map.each(_Own(nodes, found, steps, until).told, ("", *steps))))
        if len(begun) > cores():
            yield _one_read(*begun.popleft(), steps)
    while begun:
        yield _one_read(*begun.popleft(), steps)


def _one_read(student: Student, results: Iterator[bytes | Stopped], steps: tuple[str, ...]) -> Read:
    result, *shapes = results
    found = _with_shapes(_checked(result, steps), dict(zip(steps, shapes, strict=True)))
    return Read(os.fsencode(student.key), student.identifier, found)


class _Own:
    """What runs in one student's process: it reads the files, then digests each answer."""

    def __init__(
        self, nodes: list[Node], found: Class, steps: tuple[str, ...], until: Mapping[str, str]
    ) -> None:
        self._nodes, self._found, self._steps, self._until = nodes, found, steps, until
        self._read = Submission({})

    def told(self, step: str) -> bytes:
        """Return the submission; then, step by step, what the answer is compared by."""
        if not step:
            found = self._found
            self._read = submission.read(
                self._nodes, found.prefix, found.above, self._steps, self._until, found.times
            )
            return msgspec.msgpack.encode(self._read)
        given = self._read.answers.get(step)
        if given is None or given.data is None:
            return NOT_COMPARED
        return _compared((step, given.data))


def _with_shapes(found: Submission, shapes: dict[str, bytes | Stopped]) -> Submission:
    """Add the shape of each program; one for which that takes too long has none."""
    answers = dict(found.answers)
    for step, seen in shapes.items():
        if step in answers and not isinstance(seen, Stopped):
            shape, runs = _checked_shape(seen)
            answers[step] = msgspec.structs.replace(answers[step], shape=shape, runs=runs)
    return Submission(answers, found.skipped)


def _checked_shape(seen: bytes) -> tuple[str, frozenset[int]]:
    """Check what a student's process sent to compare an answer by; empty if it is invalid."""
    try:
        return msgspec.msgpack.decode(seen, type=tuple[Text, Runs])
    except msgspec.DecodeError:
        return "", frozenset()


def _compared(item: tuple[str, bytes]) -> bytes:
    """Return the shape and the runs of an answer to a step."""
    step, data = item
    shape, runs = similarity.compared(data)
    return msgspec.msgpack.encode((shape, runs - _stub_runs(step)))


@cache
def _stub_runs(step: str) -> frozenset[int]:
    return similarity.stub_runs(course.find(step))


def _checked(result: bytes | Stopped, steps: Sequence[str]) -> Submission:
    """Check what a student's process returned, or say why it returned nothing."""
    if not isinstance(result, Stopped):
        try:
            return msgspec.msgpack.decode(result, type=Submission)
        except msgspec.DecodeError as problem:
            result = Stopped(f"its result is not what it should be: {problem}")
    why = f"What was handed in cannot be read: {result.why}"
    hint = "" if result.outside else "Hand in the file of the step alone."
    unread = StepFile(problem=why, hint=hint, damaged=result.outside)
    return Submission(dict.fromkeys(steps, unread))
