"""Lists what was handed in: a folder or a zip file, students' own archives opened."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from grader.base import sanitize
from grader.base.files import Unusable
from grader.classroom.archive import MOST_ENTRIES, MOST_INNER_BYTES, Archive
from grader.classroom.layout import is_junk
from grader.source.read import SourceProblem, read_file

Parts = tuple[str, ...]
DEEPEST = 20
"""Levels of folders to search."""


@dataclass(frozen=True)
class Entry:
    """A file that was handed in. ``read`` returns its bytes or raises ``SourceProblem``."""

    path: Parts
    read: Callable[[], bytes]


@dataclass
class Submissions:
    """Every file, every folder, what was left out and why, and the archives that do not open.

    ``apart`` is a folder in it to skip: that of the results.
    """

    entries: list[Entry] = field(default_factory=list)
    folders: list[Parts] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    broken: dict[Parts, SourceProblem] = field(default_factory=dict)
    apart: Parts | None = None

    def skip(self, name: str, why: str) -> None:
        """Note that ``name`` was left out."""
        self.skipped.append(f"{shown(name)}: {why}")


def shown(name: str) -> str:
    """An untrusted name, as text that is safe to show."""
    return sanitize.line(os.fsencode(name).decode("utf-8", "replace"), 200)


def list_submissions(place: Path, apart: Path | None = None) -> Submissions:
    """Everything handed in at ``place``, in the order of names, without the folder ``apart``.

    Raises:
        Unusable: there is no such folder or zip file, or it cannot be opened.
    """
    found = Submissions()
    if place.is_dir():
        if apart is not None and apart.resolve().is_relative_to(place.resolve()):
            found.apart = apart.resolve().relative_to(place.resolve()).parts
        _walk(place, (), found)
    elif place.is_file():
        try:
            _unpack(Archive(place, place.name), found)
        except SourceProblem as problem:
            raise Unusable(f"{problem.message}. Name a folder or a zip file.") from None
    else:
        raise Unusable(f"There is no folder or zip file {shown(str(place))}.")
    found.entries.sort(key=lambda entry: entry.path)
    return found


def _walk(folder: Path, above: Parts, found: Submissions) -> None:
    try:
        inside = sorted(os.scandir(folder), key=lambda each: each.name)
    except OSError as problem:
        why = f"cannot be opened: {problem.strerror}"
        if not above:
            raise Unusable(f"The folder {shown(str(folder))} {why}.") from None
        found.skip("/".join(above), why)
        return
    for each in inside:
        parts, path = (*above, each.name), Path(each.path)
        if is_junk(each.name) or parts == found.apart:
            continue
        if len(found.entries) > MOST_ENTRIES:
            raise Unusable(f"There are more than {MOST_ENTRIES:,} files. Is this the folder?")
        if each.is_dir(follow_symlinks=False):
            found.folders.append(parts)
            if len(parts) < DEEPEST:
                _walk(path, parts, found)
        elif _is_archive(each.name) and each.is_file(follow_symlinks=False):
            _look_inside(parts, partial(_bounded, path), found)
        else:
            found.entries.append(Entry(parts, partial(read_file, path)))


def _unpack(archive: Archive, found: Submissions) -> None:
    """Add everything in the class archive."""
    found.folders += [path for path in archive.folders() if not any(map(is_junk, path))]
    for member in archive.members():
        if isinstance(member, str):
            found.skip(member, "the name points outside the archive")
        elif any(map(is_junk, member.path)):
            continue
        elif _is_archive(member.path[-1]):
            _look_inside(member.path, partial(archive.read, member.place, MOST_INNER_BYTES), found)
        else:
            found.entries.append(Entry(member.path, partial(archive.read, member.place)))


def _look_inside(path: Parts, read: Callable[[], bytes], found: Submissions) -> None:
    """Add what a student's own archive contains, as if it were a folder of that name."""
    found.folders.append(path)
    try:
        archive = _opened(path[-1], read)
    except SourceProblem as problem:
        found.broken[path] = problem
        return
    for member in archive.members():
        if isinstance(member, str):
            found.skip(f"{'/'.join(path)}: {member}", "the name points outside the archive")
        elif not any(map(is_junk, member.path)):
            reader = partial(_read_inside, path[-1], read, member.place)
            found.entries.append(Entry((*path, *member.path), reader))


def _read_inside(name: str, read: Callable[[], bytes], index: int) -> bytes:
    """One entry of a student's own archive, reopened: a whole class would fill memory."""
    return _opened(name, read).read(index)


def _opened(name: str, read: Callable[[], bytes]) -> Archive:
    try:
        return Archive(io.BytesIO(read()), shown(name))
    except OSError as problem:
        raise SourceProblem(f"{shown(name)} cannot be read: {problem.strerror}") from None


def _bounded(path: Path) -> bytes:
    """The bytes of an archive on disk, if small enough for a student's."""
    if path.stat().st_size > MOST_INNER_BYTES:
        raise SourceProblem(f"{shown(path.name)} is larger than {MOST_INNER_BYTES >> 20} MiB")
    return path.read_bytes()


def _is_archive(name: str) -> bool:
    return name.lower().endswith(".zip")
