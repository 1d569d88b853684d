"""The trusted process beside the worker: it watches memory, and ends everything at the end.

It adopts the orphans of the worker, so that a process that daemonised itself is found. It
lives as long as the grader holds the other end of ``CONTROL``: when the grader ends, however
that happens, the worker and all that it started end too.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from grader.worker.start import Settings

TICK_MS = 25
"""Between two looks at the worker's memory, which grows by a few 100 MB at most meanwhile."""


def watch(child: int, settings: Settings) -> NoReturn:
    """Wait until the worker or the grader ends, leave no process, and report how it ended."""
    from grader.worker.start import CONTROL, JOB, REPORT, RULING

    quiet = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2, JOB, REPORT):
        os.dup2(quiet, descriptor)
    reason = _wait(child, CONTROL, settings.memory)
    status, seconds = _finish(child)
    line = f"{reason} {status} {int(seconds * 1000)}\n"
    with contextlib.suppress(OSError):
        os.write(RULING, line.encode("ascii"))
    os._exit(0)


def _wait(child: int, control: int, limit: int) -> str:
    """Why the wait is over: ``exit``, ``memory`` or ``stopped`` by the grader."""
    poller = select.poll()
    poller.register(control, select.POLLIN | select.POLLHUP)
    handle = _process_handle(child)
    if handle is not None:
        poller.register(handle, select.POLLIN)
    baseline: int | None = None
    while True:
        timeout = TICK_MS if baseline is not None or handle is None else None
        ready = {descriptor for descriptor, _ in poller.poll(timeout)}
        if control in ready:
            if not os.read(control, 1):
                return "stopped"
            baseline = resident(child)
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return "exit"
        if baseline is not None and resident(child) > baseline + limit:
            return "memory"


def _process_handle(child: int) -> int | None:
    """A descriptor that becomes readable when ``child`` ends, where the system has them."""
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(child)
    except OSError:
        return None


def resident(process: int) -> int:
    """Bytes of memory that ``process`` holds; 0 where that cannot be read."""
    try:
        with open(f"/proc/{process}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except FileNotFoundError:
        return _resident_elsewhere(process) if not os.path.exists("/proc/self") else 0
    except (OSError, IndexError):
        return 0


def _resident_elsewhere(process: int) -> int:
    try:
        import psutil

        return int(psutil.Process(process).memory_info().rss)
    except Exception:  # psutil has errors of its own, and is not always there
        return 0


def _finish(child: int) -> tuple[int, float]:
    """Kill the worker and every process below this one.

    Returns the worker's exit status, negative for a signal, and its seconds of processor.
    """
    for kill in (os.kill, os.killpg):
        with contextlib.suppress(OSError):
            kill(child, signal.SIGKILL)
    _, status, usage = os.wait4(child, 0)
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            break
        for orphan in _children(os.getpid()):
            with contextlib.suppress(OSError):
                os.kill(orphan, signal.SIGKILL)
        time.sleep(0.001)
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime


def _children(parent: int) -> list[int]:
    """The processes whose parent is ``parent``."""
    found = []
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdecimal():
            with contextlib.suppress(OSError, ValueError, IndexError):
                with open(f"/proc/{name}/stat", "rb") as file:
                    if int(file.read().rpartition(b")")[2].split()[1]) == parent:
                        found.append(int(name))
    return found
