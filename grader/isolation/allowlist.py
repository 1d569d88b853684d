"""What a worker may read: the installed programs and the grader, but nothing of a course.

Both layers that hide files take their list from here: Landlock and bubblewrap. bubblewrap shows
the worker nothing else at all.
"""

# pathlib would cost 10 ms of every start.
# ruff: noqa: PTH114, PTH115, PTH118, PTH120
from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

SYSTEM = (
    "/lib",
    "/lib64",
    "/nix/store",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/share/locale",
    "/usr/share/zoneinfo",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/ssl/openssl.cnf",
    "/sys/devices/system",
)
KERNEL = (
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/dev/urandom",
    "/dev/random",
)
"""Files that every sandbox provides itself."""


def secrets(grader: str, course: str) -> tuple[str, str]:
    """Return the folders with answers: the course, and the folder around the grader."""
    return os.path.realpath(course), os.path.realpath(os.path.dirname(grader))


def paths(grader: str, course: str) -> Iterator[str]:
    """Yield the real paths of readable files and folders, none in a hidden part of another."""
    for path in (*SYSTEM, sys.prefix, sys.base_prefix, *sys.path):
        yield from beside(os.path.realpath(path), secrets(grader, course))
    yield grader


def beside(path: str, hidden: tuple[str, ...]) -> Iterator[str]:
    """Yield ``path``, or everything in it except what is ``hidden`` if that is inside it."""
    if path in hidden:
        return
    if not any(os.path.commonpath([path, one]) == path for one in hidden):
        yield path
        return
    with contextlib.suppress(OSError):
        for entry in os.scandir(path):
            if not entry.is_symlink():
                yield from beside(entry.path, hidden)


def names() -> Iterator[tuple[str, str]]:
    """Yield other paths that lead to the interpreter, each after its real folder."""
    for path in (*SYSTEM, sys.prefix, sys.base_prefix):
        yield os.path.realpath(path), path
    path = sys.executable
    for _ in range(20):
        if not os.path.islink(path):
            return
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
        yield os.path.realpath(os.path.dirname(path)), os.path.dirname(path)
