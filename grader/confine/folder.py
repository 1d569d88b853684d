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
    """``path`` and the folders above it, if not every user may enter them; it has no links."""
    found = []
    while True:
        if not os.stat(path).st_mode & stat.S_IXOTH:
            found.append(path)
        if path == os.sep:
            return found
        path = os.path.dirname(path)


def remove(folder: str) -> None:
    """Remove ``folder`` and everything in it: any depth, any modes, any names.

    What is inside a folder is moved up before that folder is removed, so that no path grows
    longer than two names. What cannot be removed stays.
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
    """Bytes on disk below ``folder``, 4 KiB at least for each entry; stops above ``most``.

    A folder that cannot be inspected, nested too deeply or made unreadable, counts as more than
    ``most``.
    """
    total, pending = 0, [folder]
    while pending and total <= most:
        try:
            for entry in os.scandir(pending.pop()):
                total += max(4096, entry.stat(follow_symlinks=False).st_blocks * 512)
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                if total > most:
                    break
        except OSError as error:  # gone by now, or out of reach
            total += most + 1 if error.errno in (errno.ENAMETOOLONG, errno.EACCES) else 0
    return total


def nameless(process: int, folder: str, largest: int) -> int:
    """Bytes on disk of the files of ``folder`` that were removed and that ``process`` still holds.

    One that is only mapped into memory counts as ``largest``, the maximum size of a file.
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
