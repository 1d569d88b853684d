"""What was handed in, as a tree: folders on disk, in a zip file, and in students' own zip files.

A tree is read where it can do no harm (:mod:`grader.classroom.reader`). Its numbers of levels and
files and the length of its names are limited.
"""

from __future__ import annotations

import os
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.base import sanitize
from grader.classroom import zip_reader
from grader.classroom.layout import is_junk
from grader.classroom.zip_reader import Archive, Member, Unsafe
from grader.source.errors import SourceProblem
from grader.source.parser import MOST_BYTES as MOST_SOURCE
from grader.source.parser import read_file

DEEPEST = 20
"""Levels of folders to search."""
MOST_FILES = 2_000
"""Files of one student."""
MOST_MEMBERS = 20_000
"""Entries of one student's archive, including generated files."""
MOST_IN_ALL = 2_000_000
"""Entries of a whole class's archive, and of one folder on disk."""
MOST_BYTES = 32 << 20
"""Size of a student's own archive, which is read into memory."""
COURSE = "course.toml"
"""A file beside the folders of a course."""
LONGEST = 255
"""Characters of a name, as on most disks."""


def shown(name: str) -> str:
    """Return an untrusted name as text that is safe to show."""
    whole = os.fsencode(name).decode("utf-8", "replace")
    return sanitize.line(unicodedata.normalize("NFC", whole), 200)


class TooMany(SourceProblem):
    """A folder or an archive contains more than anybody hands in."""


class Node(ABC):
    """A file or a folder that was handed in. An archive is a folder with the same name."""

    folder = False
    archive = False

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def inside(self, skipped: list[str]) -> Sequence[Node]:
        """Return the folder's contents, sorted by name. Unusable entries are noted in ``skipped``.

        Raises:
            SourceProblem: it cannot be opened, or contains too much.
        """

    @abstractmethod
    def read(self, most: int = MOST_SOURCE) -> bytes:
        """Return the content of the file, at most ``most`` bytes.

        Raises:
            SourceProblem: it cannot be read as a student's program.
        """


class OnDisk(Node):
    """A file or a folder on disk. Symbolic links are not followed."""

    def __init__(self, path: str, name: str, folder: bool, regular: bool, apart: str = "") -> None:
        """``apart`` is the path of a folder that nobody handed in, wherever it is."""
        super().__init__(name)
        self.path = path
        self._apart = apart
        self.archive = regular and not folder and _is_archive(name)
        self.folder = folder or self.archive

    def inside(self, skipped: list[str]) -> Sequence[Node]:
        """What the folder, or the archive, contains."""
        if self.archive:
            return tree_of(self.read(MOST_BYTES), self.name, skipped)
        found: list[Node] = []
        try:
            with os.scandir(self.path) as entries:
                for each in entries:
                    if each.path == self._apart:
                        continue
                    if len(found) >= MOST_IN_ALL:
                        raise TooMany(f"{shown(self.name)} has more than {MOST_IN_ALL:,} files")
                    folder = each.is_dir(follow_symlinks=False)
                    regular = each.is_file(follow_symlinks=False)
                    found.append(OnDisk(each.path, each.name, folder, regular, self._apart))
        except OSError as problem:
            why = problem.strerror
            raise SourceProblem(f"{shown(self.name)} cannot be opened: {why}") from None
        return sorted(found, key=lambda node: node.name)

    def read(self, most: int = MOST_SOURCE) -> bytes:
        """Return the bytes of the file."""
        return read_file(Path(self.path), most)


class Packed(Node):
    """A file or a folder in an archive."""

    def __init__(self, name: str, holder: Archive) -> None:
        super().__init__(name)
        self._holder = holder
        self.member: Member | None = None
        self.below: dict[str, Packed] = {}

    def add(self, parts: Sequence[str], member: Member) -> None:
        """Put ``member`` below this folder, at ``parts``. A later one replaces an earlier one."""
        node = self
        for part in parts:
            node.folder = True
            node = node.below.setdefault(part, Packed(part, self._holder))
        if member.folder:
            node.folder = True
        else:
            node.member = member
        node.archive = not member.folder and not node.below and _is_archive(node.name)
        node.folder = node.folder or node.archive

    def inside(self, skipped: list[str]) -> Sequence[Node]:
        """What the folder, or the archive, contains."""
        if self.archive and self.member is not None:
            data = self._holder.read(self.member, MOST_BYTES)
            return tree_of(data, self.name, skipped)
        return [self.below[name] for name in sorted(self.below)]

    def read(self, most: int = MOST_SOURCE) -> bytes:
        """Return the bytes of the member."""
        if self.member is None:
            raise SourceProblem(f"{shown(self.name)} is a folder")
        return self._holder.read(self.member, most)


def whole(holder: Archive, skipped: list[str]) -> Sequence[Node]:
    """Return the tree of an archive. Members with unusable names are noted in ``skipped``."""
    root = Packed("", holder)
    for member in holder.members:
        try:
            parts = member.parts()
        except Unsafe:
            skipped.append(f"{shown(member.name)}: the name points outside the archive")
            continue
        if len(parts) > DEEPEST + 1 or max(map(len, parts)) > LONGEST:
            skipped.append(f"{shown(member.name)}: the name is too long")
        elif not any(map(is_junk, parts)):
            root.add(parts, member)
    return root.inside(skipped)


def tree_of(data: bytes, name: str, skipped: list[str]) -> Sequence[Node]:
    """Return the tree of a student's own archive."""
    holder = zip_reader.of_bytes(_bounded(data, name), shown(name), MOST_MEMBERS)
    return whole(holder, skipped)


@dataclass
class Files:
    """Every file of one student, with its path; what could not be opened, and what was left out.

    ``given`` are the folders of the course. In a copy of the whole course they are skipped.
    """

    found: list[tuple[tuple[str, ...], Node]] = field(default_factory=list)
    broken: list[SourceProblem] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    given: Container[str] = ()

    def add(self, node: Node, above: tuple[str, ...] = (), *, opened: bool = False) -> None:
        """Add the file, or the folder's contents. An archive inside an archive is not opened.

        Raises:
            TooMany: there are more files than a student hands in.
        """
        if not node.folder or (node.archive and opened):
            self.found.append(((*above, node.name), node))
            if len(self.found) > MOST_FILES:
                raise TooMany(
                    f"There are more than {MOST_FILES:,} files", hint="Hand in the step alone."
                )
            return
        lost: list[str] = []
        try:
            inside = node.inside(lost) if len(above) <= DEEPEST else ()
        except TooMany:
            raise
        except SourceProblem as problem:
            self.broken.append(problem)
            return
        where = shown("/".join((*above, node.name)))
        self.skipped += [f"{where}: {line}" for line in lost]
        copy = any(each.name == COURSE for each in inside)
        for each in inside:
            theirs = not (copy and each.folder and each.name in self.given)
            if theirs and not is_junk(each.name):
                self.add(each, (*above, node.name), opened=opened or node.archive)


def _is_archive(name: str) -> bool:
    return name.lower().endswith(".zip")


def _bounded(data: bytes, name: str) -> bytes:
    if len(data) > MOST_BYTES:
        raise SourceProblem(f"{shown(name)} is larger than {MOST_BYTES >> 20} MiB")
    return data
