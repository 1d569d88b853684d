"""A worker's private folder, and its environment variables, made from an allow-list."""

# pathlib would cost 10 ms of every start.
# ruff: noqa: PTH102, PTH118, PTH120
from __future__ import annotations

import os
import sys

from grader.isolation.folder import NOBODY, closed

PREFIX = "grader-"
LARGE = 32 << 20
"""Bytes: more than any array of a step, and the most that older C libraries accept."""
TEMPORARY = "/tmp"  # noqa: S108 - we make our own folder there


def make_folder(layers: tuple[str, ...]) -> str:
    """Create a private folder: the worker's home, current folder and temporary folder.

    With bubblewrap, only its path is chosen: the folder exists inside, in memory.
    """
    base = os.path.realpath(os.environ.get("TMPDIR") or TEMPORARY)
    name = f"{PREFIX}{os.getpid()}-{os.urandom(6).hex()}"
    if "bubblewrap" in layers:
        return os.path.join(base, name)
    nobodys = "user" in layers and os.geteuid() == 0
    if nobodys and closed(base):  # root's own folder
        base = TEMPORARY
    folder = os.path.join(base, name)
    os.mkdir(folder, 0o700)
    if nobodys:
        os.chown(folder, NOBODY, NOBODY)
    return folder


def environment(folder: str, *, trusted: bool = False) -> dict[str, str]:
    """Return every variable of the worker, which inherits none of the grader's own.

    What a ``trusted`` worker compiles is kept for others.
    """
    from grader import frameworks

    programs = (os.path.dirname(sys.executable), "/usr/bin", "/bin")
    return {
        "PATH": os.pathsep.join(programs),
        "LANG": "C.UTF-8",
        "HOME": folder,
        "TMPDIR": folder,
        "MALLOC_ARENA_MAX": "2",
        # Large arrays reuse freed memory, without a page fault for each 4 KiB.
        "MALLOC_MMAP_THRESHOLD_": str(LARGE),
        "MALLOC_TRIM_THRESHOLD_": str(32 * LARGE),
        "PYTHONHASHSEED": "0",  # a message that prints a set has the same order each time
        **frameworks.current().environment(None if trusted else folder),
    }
