"""Finds the one file of each student for each step. Other processes read them.

Nothing here inspects a student's bytes: they are kept as they come, named by their digest.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec

from grader.base.files import Unusable
from grader.classroom import reader
from grader.classroom.file_tree import shown
from grader.classroom.layout import Student
from grader.classroom.reader import End, Message, Read, Request, Until
from grader.classroom.submission import StepFile

LONGEST_MESSAGE = 32 << 20
PATIENCE_S = 300.0
"""Longer than listing a class takes, and than all limits of one student together."""


@dataclass(frozen=True)
class Answer:
    """What one student handed in for one step.

    ``digest`` names the bytes. If the file cannot be read, there are none, and ``problem`` says
    why; ``damaged`` says that this is not the student's fault. ``origin`` is where it was found,
    ``note`` what the teacher should know. ``instead``: something else was handed in, and
    ``problem`` says what. ``shape`` and ``runs`` are those of the program, if it is one
    (:mod:`grader.classroom.similarity`). ``when`` is the time of submission as the platform writes
    it, if it does.
    """

    origin: str
    digest: str = ""
    late: bool = False
    problem: str = ""
    hint: str = ""
    note: str = ""
    damaged: bool = False
    shape: str = ""
    instead: bool = False
    when: str = ""
    runs: frozenset[int] = field(default=frozenset(), repr=False)


@dataclass(frozen=True)
class Collected:
    """Everyone who handed something in, sorted; their answers by step; and what was left out."""

    students: tuple[Student, ...]
    answers: Mapping[tuple[Student, str], Answer]
    skipped: tuple[str, ...]


def collect(
    where: Path,
    steps: Sequence[str],
    spool: Path,
    apart: Path | None = None,
    until: Until = reader.ALWAYS,
) -> Collected:
    """Read what was handed in at ``where`` for ``steps`` (``"s05"``).

    The bytes of every answer go into the folder ``spool``, named by their digest. The folder
    ``apart`` contains results, not submissions, wherever it is. If there are several attempts, the
    last one not after ``until`` counts.

    Raises:
        Unusable: nothing there can be graded.
        OSError: ``spool`` cannot be written.
    """
    if not where.exists():
        raise Unusable(f"There is no folder or zip file {shown(str(where))}.")
    out = str(apart.resolve()) if apart else ""
    answers: dict[tuple[Student, str], Answer] = {}
    students: list[Student] = []
    skipped: list[str] = []
    for message in _messages(Request(str(where.resolve()), out, tuple(steps), until)):
        if isinstance(message, End):
            skipped = [*message.skipped, *skipped]
            continue
        student = Student(os.fsdecode(message.key), message.identifier)
        students.append(student)
        skipped += [f"{shown(student.key)}: {line}" for line in message.found.skipped]
        for step, given in message.found.answers.items():
            if step in steps:
                answers[student, step] = _kept(given, spool)
    if not students:
        raise Unusable(
            f"No submission was found in {shown(str(where))}. It should contain a folder for each "
            "student (ada/step_05.py) or a file for each (ada.py)."
        )
    students.sort(key=lambda each: (each.key.casefold(), each.key, each.identifier))
    return Collected(tuple(students), answers, tuple(skipped))


def only(where: Path, step: str, spool: Path) -> Answer | None:
    """Find the answer in one student's own folder; its bytes go into ``spool``."""
    for message in _messages(Request(str(where.resolve()), "", (step,), one=True)):
        if isinstance(message, Read) and step in message.found.answers:
            return _kept(message.found.answers[step], spool)
    return None


def _kept(given: StepFile, spool: Path) -> Answer:
    digest = ""
    if given.data is not None:
        digest = hashlib.sha256(given.data).hexdigest()
        (spool / digest).write_bytes(given.data)
    same = {name: getattr(given, name) for name in given.__struct_fields__ if name != "data"}
    return Answer(digest=digest, **same)


def _messages(request: Request) -> Iterator[Message]:
    """Yield the reading process's messages.

    Raises:
        Unusable: there is nothing to read, or the process itself has failed.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=reader.main, args=(theirs, request, os.getpid()))
    process.start()
    theirs.close()
    try:
        with ours:
            while True:
                message = _next(ours)
                if isinstance(message, End) and message.refused:
                    raise Unusable(message.refused)
                yield message
                if isinstance(message, End):
                    return
    finally:
        with suppress(OSError):
            process.kill()
        process.join()


def _next(ours: Connection) -> Message:
    why = f"it was silent for {PATIENCE_S:g} s"
    try:
        if ours.poll(PATIENCE_S):
            data = ours.recv_bytes(LONGEST_MESSAGE)
            found: Message = msgspec.msgpack.decode(data, type=Message)
            return found
    except (EOFError, OSError, msgspec.DecodeError) as problem:
        why = str(problem) or "it ended early"
    raise Unusable(f"The process that reads what was handed in failed: {why}.", status=3)
