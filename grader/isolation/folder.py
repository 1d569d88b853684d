"""Removes a private folder, whatever was created in it."""

# pathlib would cost 10 ms of every start.
# ruff: noqa: PTH101, PTH116, PTH120, PTH123, PTH104, PTH106, PTH108, PTH118
from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

NOBODY = 65534
"""The user and group of a worker and its folder if the grader runs as root."""


def closed(path: str) -> list[str]:
    """Return ``path`` and the folders above it that not every user may enter; it has no links."""
    found = []
    while True:
        if not os.stat(path).st_mode & stat.S_IXOTH:
            found.append(path)
        if path == os.sep:
            return found
        path = os.path.dirname(path)


def remove(folder: str) -> None:
    """Remove ``folder`` and everything in it: any depth, any modes, any names.

    The contents of a folder are moved up before that folder is removed, so that no path is longer
    than two names. What cannot be removed stays.
    """
    moved = 0
    while True:
        try:
            os.rmdir(folder)
            return
        except FileNotFoundError:
            return
        except OSError:
            before = moved
            with suppress(OSError):
                moved += _flatten(folder, moved)
            if moved == before:
                return


def _flatten(folder: str, start: int) -> int:
    """Remove the files of ``folder`` and flatten its folders; returns the number of steps."""
    steps = 0
    for entry in list(os.scandir(folder)):
        with suppress(OSError):
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.path)
                steps += 1
                continue
            os.chmod(entry.path, 0o700)
            for inner in list(os.scandir(entry.path)):
                steps += 1
                if inner.is_dir(follow_symlinks=False):
                    os.chmod(inner.path, 0o700)
                    os.rename(inner.path, os.path.join(folder, f".{start + steps}-moved"))
                else:
                    os.unlink(inner.path)
            os.rmdir(entry.path)
            steps += 1
    return steps


def size(folder: str, most: int) -> int:
    """Count the bytes on disk below ``folder``, at least 4 KiB per entry; stop above ``most``.

    An entry that vanishes between being listed and being opened may have been renamed, so the
    count then starts over. A folder that cannot be inspected, because it is nested too deeply or
    unreadable, counts as more than ``most``.
    """
    largest = 0
    for _ in range(LOOKS):
        walk = _Walk(most)
        walk.count(folder, None, DEEPEST)
        largest = max(largest, walk.total)
        if largest > most or not walk.vanished:
            break
    return largest


LOOKS = 20
"""How often to count a folder in which something always vanishes."""

DEEPEST = 100
"""Nested folders that are counted; each of them takes a descriptor meanwhile."""

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class _Walk:
    """Counts through descriptors: a path may lead to another folder by the time it is opened."""

    def __init__(self, most: int) -> None:
        self.total, self.vanished = 0, False
        self._most = most

    def count(self, name: str, within: int | None, depth: int) -> None:
        """Add what is below the folder ``name`` in the folder ``within``."""
        if not depth:
            self.total = self._most + 1
            return
        try:
            descriptor = os.open(name, FOLDER, dir_fd=within)
        except OSError as error:
            gone = error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
            self.vanished |= gone
            self.total += 0 if gone else self._most + 1
            return
        try:
            with os.scandir(descriptor) as entries:
                for entry in entries:
                    self._add(entry, descriptor, depth)
                    if self.total > self._most:
                        return
        finally:
            os.close(descriptor)

    def _add(self, entry: os.DirEntry[str], descriptor: int, depth: int) -> None:
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError:
            self.vanished = True
            return
        self.total += max(4096, found.st_blocks * 512)
        if stat.S_ISDIR(found.st_mode):
            self.count(entry.name, descriptor, depth - 1)


def nameless(process: int, folder: str, largest: int) -> int:
    """Count the bytes on disk of removed files of ``folder`` that ``process`` still holds.

    A file that is only mapped into memory counts as ``largest``, the maximum size of a file.
    """
    held: dict[int, int] = {}
    with suppress(OSError):  # it has ended, or there is no /proc
        for entry in os.scandir(f"/proc/{process}/fd"):
            with suppress(OSError):
                at = os.stat(entry.path)
                if stat.S_ISREG(at.st_mode) and at.st_nlink == 0:
                    held[at.st_ino] = at.st_blocks * 512
        with open(f"/proc/{process}/maps", encoding="utf-8", errors="replace") as maps:
            for line in maps:
                if line.endswith(" (deleted)\n") and f" {folder}/" in line:
                    held.setdefault(int(line.split(None, 5)[4]), largest)
    return sum(held.values())
