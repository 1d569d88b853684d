"""Limits that the kernel enforces for one process: memory, CPU, files, core dumps."""

# pathlib would cost 10 ms of every start.
# ruff: noqa: PTH116, PTH208
from __future__ import annotations

import contextlib
import os
import resource
from typing import TYPE_CHECKING

from grader.isolation import kernel

if TYPE_CHECKING:
    from grader.isolation.settings import Settings

OPEN_FILES = 512


def no_more_processes(settings: Settings) -> bool:
    """Limit how many processes the worker can start, where starting them is not forbidden.

    The limit includes the user's running processes. Linux counts threads too, and the framework
    needs some; elsewhere a limit of 0 only prevents new processes.
    """
    with contextlib.suppress(OSError, ValueError):  # Landlock hides what the user runs
        most = _tasks_of_user() + settings.processes if kernel.LINUX else 0
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
        return True
    return False


def _tasks_of_user() -> int:
    count = 0
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if name.isdecimal() and os.stat(f"/proc/{name}").st_uid == os.getuid():
                count += os.stat(f"/proc/{name}/task").st_nlink - 2
    return count


def apply(settings: Settings) -> bool:
    """Lower the limits, hard and soft, so that nothing can raise them again."""
    limits = {
        resource.RLIMIT_CPU: settings.cpu,
        resource.RLIMIT_FSIZE: settings.file_size,
        resource.RLIMIT_AS: settings.address_space,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: OPEN_FILES,
    }
    for name, most in limits.items():
        lower(name, most)
    held = resource.getrlimit(resource.RLIMIT_AS)[0]
    return held != resource.RLIM_INFINITY and held <= settings.address_space


def inherited(wanted: int) -> int | None:
    """Return the inherited limit on address space in bytes, if it is below ``wanted``."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    return hard if hard != resource.RLIM_INFINITY and hard < wanted else None


def lower(name: int, most: int) -> None:
    """Set a limit, hard and soft, to ``most``, or to the present hard limit if that is lower."""
    # macOS defines some of these limits but refuses to set them.
    with contextlib.suppress(OSError, ValueError):
        hard = resource.getrlimit(name)[1]
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(name, (value, value))
