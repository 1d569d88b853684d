"""The process that reads what was handed in, so that no other has to.

It lists the folder or the archive of the class and forks a process for each student, which reads
the student's names and files within limits (:mod:`grader.confine.apart`). Whatever goes wrong there
goes into that student's row. What it sends to the grader is small and typed.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from multiprocessing.connection import Connection
from typing import NamedTuple

import msgspec

from grader.base import course
from grader.base.files import Unusable
from grader.base.machine import cores
from grader.classroom import archive, gradescope, handed, similar
from grader.classroom.handed import Handed, HandIn, Runs, Text
from grader.classroom.layout import Student, is_junk, is_one_students, prefix_of, student_of
from grader.classroom.submissions import MOST_IN_ALL, Node, OnDisk, shown, whole
from grader.confine import apart, kernel, landlock, readable
from grader.confine.apart import Stopped
from grader.source.problem import SourceProblem

NAMING = apart.Limits(wall=20.0, cpu=5.0, result=1 << 16)
NOT_COMPARED = msgspec.msgpack.encode(("", ()))
MOST_LINES = 200
"""Lines on what was left out of the archive of a class."""


class Request(NamedTuple):
    """What to read: a folder or an archive, for which steps; ``out`` in it is nobody's.

    ``one``: it is the folder of one student.
    """

    place: str
    out: str
    steps: tuple[str, ...]
    one: bool = False


class Read(msgspec.Struct, frozen=True, tag=True):
    """What one student handed in. A name need not be text, so it comes as bytes."""

    key: bytes
    identifier: Text
    found: HandIn


class End(msgspec.Struct, frozen=True, tag=True):
    """That was everything. ``refused`` says why it is of no use; ``skipped`` is nobody's."""

    skipped: tuple[Text, ...] = ()
    refused: str = ""


Message = Read | End


class Class(NamedTuple):
    """What is side by side in a class: what precedes names, and the folders around it all."""

    nodes: Sequence[Node]
    prefix: str
    above: tuple[str, ...]


def main(pipe: Connection, request: Request, parent: int) -> None:
    """Read everything and send it. The process ends with the one that started it."""
    kernel.die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(BrokenPipeError):
        try:
            for message in messages(request):
                pipe.send_bytes(msgspec.msgpack.encode(message))
        except (Unusable, SourceProblem) as problem:
            pipe.send_bytes(msgspec.msgpack.encode(End(refused=str(problem))))


def messages(request: Request) -> Iterator[Message]:
    """Everyone's hand-in, then the end.

    Raises:
        Unusable, SourceProblem: the folder or the archive cannot be opened.
    """
    skipped: list[str] = []
    root = _root(request)
    for step in request.steps:  # imports what a student's process could not, and is kept
        _compared((step, b"x = 1\n"))
        handed.stub(step)
    _confine(request.place)
    if request.one:
        yield from _read({Student("student"): [root]}, Class([], "", ()), request.steps)
        yield End()
        return
    found = _class(root, skipped)
    yield from _read(_students(found, skipped), found, request.steps)
    more = len(skipped) - MOST_LINES
    yield End((*skipped[:MOST_LINES], *([f"{more} more left out"] if more > 0 else [])))


class _Top(Node):
    """The archive of a class, as the folder of what is in it."""

    folder = True

    def __init__(self, path: str, name: str) -> None:
        super().__init__(name)
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._archive = archive.of_file(descriptor, shown(name), MOST_IN_ALL)

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
    programs = (*readable.SYSTEM, sys.prefix, sys.base_prefix, *sys.path, *readable.KERNEL)
    rules = [(os.path.realpath(path), landlock.READ) for path in (*programs, place)]
    with suppress(OSError):
        landlock.restrict(rules)


def _class(root: Node, skipped: list[str]) -> Class:
    """What is side by side. A folder that contains everything is looked into.

    Unless it is a student's own. An archive always is.
    """
    node, prefix = root, ""
    above: tuple[str, ...] = ()
    while True:
        inside = [each for each in node.inside(skipped) if not is_junk(each.name)]
        one = inside[0] if len(inside) == 1 else None
        if one is None or not one.folder or one.archive:
            return Class(inside, prefix, above)
        with suppress(SourceProblem):
            below = [(each.name, each.folder) for each in one.inside([]) if not is_junk(each.name)]
            if below and not is_one_students(one.name, below):
                node, above, prefix = one, (*above, one.name), prefix_of(one.name)
                continue
        return Class(inside, prefix, above)


def _students(found: Class, skipped: list[str]) -> dict[Student, list[Node]]:
    """Whose each file and folder of a class is, by its name or by Gradescope's list."""
    students: dict[Student, list[Node]] = {}
    owners = _gradescope(found.nodes, skipped)
    names = [(node.name, node.folder) for node in found.nodes]

    def named(item: tuple[str, bool]) -> bytes:
        path = (item[0], "") if item[1] else (item[0],)
        known = student_of(path, found.prefix)
        whose = (os.fsencode(known[0].key), known[0].identifier) if known else None
        return msgspec.msgpack.encode(whose)

    for node, whose in zip(found.nodes, apart.each(named, names, NAMING), strict=True):
        if isinstance(whose, Stopped):
            skipped.append(f"{shown(node.name)}: the name cannot be read: {whose.why}")
            continue
        if node.name in owners or node.name == gradescope.METADATA:
            for student in owners.get(node.name, ()):
                students.setdefault(student, []).append(node)
            continue
        known = msgspec.msgpack.decode(whose, type=tuple[bytes, str] | None)
        if known is None:
            where = shown("/".join((*found.above, node.name)))
            skipped.append(f"{where}: the name contains no student's name")
        else:
            students.setdefault(Student(os.fsdecode(known[0]), known[1]), []).append(node)
    return students


def _gradescope(nodes: Sequence[Node], skipped: list[str]) -> dict[str, list[Student]]:
    """Whose each folder is, if this is Gradescope's export."""

    def listed(node: Node) -> bytes:
        text = node.read(gradescope.LARGEST).decode("utf-8", "replace")
        owners = gradescope.submitters(text).items()
        return msgspec.msgpack.encode(
            {name: [(os.fsencode(s.key), s.identifier) for s in each] for name, each in owners}
        )

    for node in nodes:
        if node.name == gradescope.METADATA and not node.folder:
            (found,) = apart.each(listed, [node], apart.Limits(memory=1 << 30))
            if isinstance(found, Stopped):
                skipped.append(f"{shown(node.name)} cannot be read: {found.why}")
                continue
            owners = msgspec.msgpack.decode(found, type=dict[str, list[tuple[bytes, str]]])
            return {
                name: [Student(os.fsdecode(key), identifier) for key, identifier in each]
                for name, each in owners.items()
            }
    return {}


def _read(
    students: dict[Student, list[Node]], found: Class, steps: tuple[str, ...]
) -> Iterator[Read]:
    begun: deque[tuple[Student, Iterator[bytes | Stopped]]] = deque()
    for student, nodes in students.items():
        begun.append((student, apart.each(_Own(nodes, found, steps).told, ("", *steps))))
        if len(begun) > cores():
            yield _one_read(*begun.popleft(), steps)
    while begun:
        yield _one_read(*begun.popleft(), steps)


def _one_read(student: Student, results: Iterator[bytes | Stopped], steps: tuple[str, ...]) -> Read:
    result, *shapes = results
    found = _with_shapes(_checked(result, steps), dict(zip(steps, shapes, strict=True)))
    return Read(os.fsencode(student.key), student.identifier, found)


class _Own:
    """What runs in the process of one student: it reads the files, then compares each answer."""

    def __init__(self, nodes: list[Node], found: Class, steps: tuple[str, ...]) -> None:
        self._nodes, self._found, self._steps = nodes, found, steps
        self._read = HandIn({})

    def told(self, step: str) -> bytes:
        """What was handed in; then, step by step, what the answer is compared by."""
        if not step:
            found = self._found
            self._read = handed.read(self._nodes, found.prefix, found.above, self._steps)
            return msgspec.msgpack.encode(self._read)
        given = self._read.answers.get(step)
        if given is None or given.data is None:
            return NOT_COMPARED
        return _compared((step, given.data))


def _with_shapes(found: HandIn, shapes: dict[str, bytes | Stopped]) -> HandIn:
    """The same, with the shape of each program. One that takes too long to compare has none."""
    answers = dict(found.answers)
    for step, seen in shapes.items():
        if step in answers and not isinstance(seen, Stopped):
            shape, runs = _checked_shape(seen)
            answers[step] = msgspec.structs.replace(answers[step], shape=shape, runs=runs)
    return HandIn(answers, found.skipped)


def _checked_shape(seen: bytes) -> tuple[str, frozenset[int]]:
    """What a student's process says an answer is compared by; nothing if it says something else."""
    try:
        return msgspec.msgpack.decode(seen, type=tuple[Text, Runs])
    except msgspec.DecodeError:
        return "", frozenset()


def _compared(item: tuple[str, bytes]) -> bytes:
    """The shape and the runs of an answer to a step."""
    step, data = item
    shape, runs = similar.compared(data)
    return msgspec.msgpack.encode((shape, runs - _stub_runs(step)))


@cache
def _stub_runs(step: str) -> frozenset[int]:
    return similar.stub_runs(course.find(step))


def _checked(result: bytes | Stopped, steps: Sequence[str]) -> HandIn:
    """What a student's process returned, or what became of it."""
    if not isinstance(result, Stopped):
        try:
            return msgspec.msgpack.decode(result, type=HandIn)
        except msgspec.DecodeError as problem:
            result = Stopped(f"its result is not what it should be: {problem}")
    why = f"What was handed in cannot be read: {result.why}"
    hint = "" if result.outside else "Hand in the file of the step alone."
    return HandIn(dict.fromkeys(steps, Handed(problem=why, hint=hint, damaged=result.outside)))
