"""Finds the owner of each file and folder of a class, by its name or the platform's metadata."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from grader.classroom import gradescope
from grader.classroom.file_tree import Node, shown
from grader.classroom.layout import TEST_STUDENT, Student, login_in, student_of, written
from grader.isolation import fork_map
from grader.isolation.fork_map import Stopped

NAMING = fork_map.Limits(wall=20.0, cpu=5.0, result=1 << 16)


class Class(NamedTuple):
    """The entries of a class, the prefix of their names, and the folders around them.

    ``times`` says when each was handed in, where the platform's metadata says so.
    """

    nodes: Sequence[Node]
    prefix: str
    above: tuple[str, ...]
    times: dict[str, str]


_Listed = tuple[dict[str, list[tuple[bytes, str]]], dict[str, str]]


class _Named(msgspec.Struct, frozen=True, array_like=True):
    """The owner according to a name. ``left`` and ``receipt`` are Blackboard's."""

    key: bytes
    identifier: str
    left: bytes = b""
    receipt: bool = False
    tester: bool = False


def students(found: Class, skipped: list[str]) -> dict[Student, list[Node]]:
    """Return the students with their entries. What is nobody's is listed in ``skipped``."""
    owners = _gradescope(found, skipped)
    names = [(node.name, node.folder) for node in found.nodes]
    theirs: dict[Student, list[Node]] = {}
    people: list[tuple[Node, _Named]] = []
    named = fork_map.each(lambda item: _named(*item, found.prefix), names, NAMING)
    for node, whose in zip(found.nodes, named, strict=True):
        if isinstance(whose, Stopped):
            skipped.append(f"{shown(node.name)}: the name cannot be read: {whose.why}")
        elif node.name in owners or node.name == gradescope.METADATA:
            for student in owners.get(node.name, ()):
                theirs.setdefault(student, []).append(node)
        elif (known := msgspec.msgpack.decode(whose, type=_Named | None)) is None:
            where = shown("/".join((*found.above, node.name)))
            skipped.append(f"{where}: the name contains no student's name")
        elif known.tester:
            skipped.append(f"{shown(node.name)}: handed in by Canvas' Test Student, who is nobody")
        else:
            people.append((node, known))
    logins = _logins(people)
    for node, known in people:
        key = os.fsdecode(logins.get(known.left, known.key))
        theirs.setdefault(Student(key, known.identifier), []).append(node)
    return theirs


def _named(name: str, folder: bool, prefix: str) -> bytes:
    known, told = (
        student_of((name, "") if folder else (name,), prefix),
        written(name, folder=folder),
    )
    if known is None:
        return msgspec.msgpack.encode(None)
    student, _, file = known
    left = os.fsencode(told.title_and_login) if told else b""
    receipt = bool(left) and not file and not folder
    tester = student.identifier.isdecimal() and student.key in TEST_STUDENT
    found = _Named(os.fsencode(student.key), student.identifier, left, receipt, tester)
    return msgspec.msgpack.encode(found)


def _logins(people: Sequence[tuple[Node, _Named]]) -> dict[bytes, bytes]:
    """Return Blackboard's user names from its receipts, by its combination of title and name."""
    receipts = [(node, known.left) for node, known in people if known.receipt]

    def login(item: tuple[Node, bytes]) -> bytes:
        text = item[0].read().decode("utf-8", "replace")
        return os.fsencode(login_in(text, os.fsdecode(item[1])))

    told = fork_map.each(login, receipts, NAMING) if receipts else ()
    return {
        left: name
        for (_, left), name in zip(receipts, told, strict=True)
        if isinstance(name, bytes) and name
    }


def _gradescope(of: Class, skipped: list[str]) -> dict[str, list[Student]]:
    """Return each folder's owners in Gradescope's export, and fill in the times of ``of``."""

    def listed(node: Node) -> bytes:
        text = node.read(gradescope.LARGEST).decode("utf-8", "replace")
        owners = gradescope.submitters(text).items()
        people = {name: [(os.fsencode(s.key), s.identifier) for s in each] for name, each in owners}
        return msgspec.msgpack.encode((people, gradescope.times(text)))

    for node in of.nodes:
        if node.name == gradescope.METADATA and not node.folder:
            (found,) = fork_map.each(listed, [node], fork_map.Limits(memory=1 << 30))
            if isinstance(found, Stopped):
                skipped.append(f"{shown(node.name)} cannot be read: {found.why}")
                continue
            owners, times = msgspec.msgpack.decode(found, type=_Listed)
            of.times.update(times)
            return {
                name: [Student(os.fsdecode(key), identifier) for key, identifier in each]
                for name, each in owners.items()
            }
    return {}
