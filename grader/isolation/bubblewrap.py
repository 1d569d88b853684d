"""bubblewrap around the worker: a file system with what it may read, and nothing else.

The worker sees the installed programs read-only, a small folder in memory, and its own empty
process table and network. The first process inside is the supervisor, and all others end with it.
It ends when the grader closes its end of the pipe, or when bubblewrap's outer process ends.
``--die-with-parent`` would tie that process to the thread that started it, which may end before
the worker does.
"""

# pathlib would cost 10 ms of every start.
# ruff: noqa: PTH110, PTH117, PTH118, PTH120
from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from grader.isolation import allowlist

if TYPE_CHECKING:
    import subprocess

NAMESPACES = ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts")
PROBE_S = 10.0


@cache
def program() -> str | None:
    """Return the path of bubblewrap; None if it is not installed, or not on Linux."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    found = (os.path.join(folder, "bwrap") for folder in folders if os.path.isabs(folder))
    here = sys.platform == "linux"
    return next((path for path in found if here and os.access(path, os.X_OK)), None)


@cache
def attempt() -> subprocess.Popen[str] | str:
    """Start bubblewrap around a program that does nothing, with everything that a worker needs.

    This happens once, and early, so that :func:`problem` need not wait. Returns why, if it fails.
    """
    import subprocess

    if program() is None:
        return "bwrap is not installed"
    mounts = ["--ro-bind", "/", "/", *_own("/tmp", 1 << 20)]  # noqa: S108
    command = [program() or "", *_namespaces(), *mounts, "true"]
    try:
        return subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
    except OSError as error:
        return str(error)


@cache
def problem() -> str:
    """Return why this machine cannot use bubblewrap, in bubblewrap's words; empty if it can."""
    import subprocess

    started = attempt()
    if isinstance(started, str):
        return started
    with started:
        try:
            _, told = started.communicate(timeout=PROBE_S)
        except subprocess.TimeoutExpired as error:
            started.kill()
            return str(error)
    told = told.strip() or f"exit status {started.returncode}"
    return told[:300] if started.returncode else ""


def promising() -> bool:
    """Whether this user can create such namespaces, so bubblewrap would work if installed."""
    import subprocess

    user = () if os.geteuid() == 0 else ("--map-root-user",)
    made = (*user, "--mount", "--pid", "--fork", "--net", "--ipc", "--uts", "--mount-proc")
    try:
        subprocess.run(["unshare", *made, "true"], check=True, capture_output=True, timeout=PROBE_S)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def command(grader: str, course: str, folder: str, cache: str, size: int) -> list[str]:
    """Return the prefix of the worker's command. ``size`` is that of ``folder``, in bytes."""
    mounts = list(_mounts(grader, course, cache))
    given = [program() or "", *_namespaces(), *_own(folder, size)]
    for above in _above([name for _, name in mounts]):
        given += ["--perms", "0755", "--dir", above]  # otherwise only root could enter some of them
    for real, name in mounts:
        given += ["--ro-bind", real, name]
    return [*given, "--chdir", "/", "--"]


def _mounts(grader: str, course: str, cache: str) -> Iterator[tuple[str, str]]:
    """Yield what the worker may see, each path once: ``(path, name inside)``."""
    known: list[str] = []

    def within(path: str) -> bool:
        return any(path == one or path.startswith(one + os.sep) for one in known)

    for path in sorted({*allowlist.paths(grader, course), cache}, key=len):
        if not within(path) and os.path.exists(path):
            known.append(path)
            yield path, path
    names = set()
    for real, name in allowlist.names():
        if within(real) and not within(name) and name not in names:
            names.add(name)
            yield real, name


def _above(names: list[str]) -> list[str]:
    """Return the folders above these, outermost first."""
    found = set()
    for name in names:
        while (name := os.path.dirname(name)) != os.sep:
            found.add(name)
    return sorted(found)


def _namespaces() -> Iterator[str]:
    """Yield the options that unshare everything and make the first process inside end all others.

    Root needs no user namespace, and without one the worker can change its user.
    """
    yield from NAMESPACES
    yield from ("--unshare-cgroup-try", "--as-pid-1", "--new-session", "--cap-drop", "ALL")
    if os.geteuid() == 0:
        yield from ("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
    else:
        yield "--unshare-user"


def _own(folder: str, size: int) -> tuple[str, ...]:
    """Return the options for the sandbox's own /proc, /dev and folder."""
    mine = ("--perms", "0777", "--size", str(size), "--tmpfs", folder)
    return ("--proc", "/proc", "--dev", "/dev", *mine)
