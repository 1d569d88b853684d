"""The trusted process next to the worker: it watches memory and disk, and ends everything.

It adopts the worker's orphans, so that it finds processes that daemonised themselves. It lives as
long as the grader holds the other end of ``CONTROL``. When the grader ends, however that happens,
the supervisor ends the worker with everything it started and removes its folder.
"""

# pathlib would cost 10 ms of every start.
# ruff: noqa: PTH110, PTH112, PTH123, PTH208
from __future__ import annotations

import os
import resource
import select
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from grader.isolation import folder

if TYPE_CHECKING:
    from grader.isolation.settings import Settings

TICK_MS = 25
"""Milliseconds between two measurements of the worker's memory, which can grow by about 100 MB."""
DISK_TICKS = 10
REAPING_S = 10.0


def watch(child: int, settings: Settings) -> NoReturn:
    """Wait until the worker or the grader ends, clean up, and report how the worker ended."""
    from grader.isolation.settings import CONTROL, ENDING, JOB, MESSAGES

    quiet = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2, JOB, MESSAGES):
        os.dup2(quiet, descriptor)
    oversee(child, settings, CONTROL, ENDING)
    os._exit(0)


def oversee(child: int, settings: Settings, control: int, ending: int) -> None:
    """Do the same for one of several children; return when nothing is left of it."""
    reason, ended, waited_ms = _wait(child, control, settings)
    if ended is None:
        os.kill(child, signal.SIGKILL)
        ended = os.wait4(child, 0)
    _end(child)
    folder.remove(settings.folder)
    _, status, spent = ended
    milliseconds = int(1000 * (spent.ru_utime + spent.ru_stime))
    with suppress(OSError):
        words = f"{reason} {os.waitstatus_to_exitcode(status)} {milliseconds} {waited_ms}\n"
        os.write(ending, words.encode("ascii"))


Ended = tuple[int, int, resource.struct_rusage]
"""Process, status and resource usage, as ``os.wait4`` returns them."""


def _wait(child: int, control: int, settings: Settings) -> tuple[str, Ended | None, int]:
    """Return ``exit`` and how; or why it must end: a limit's name, or ``stopped`` by the grader.

    Also returns for how many milliseconds it waited for a processor; 0 if it has ended.
    """
    poller = select.poll()
    poller.register(control, select.POLLIN | select.POLLHUP)
    handle = _process_handle(child)
    if handle is not None:
        poller.register(handle, select.POLLIN)
    try:
        return _until_ended(child, control, settings, poller, handle is None)
    finally:
        if handle is not None:
            os.close(handle)


def _until_ended(
    child: int, control: int, settings: Settings, poller: select.poll, poll: bool
) -> tuple[str, Ended | None, int]:
    """Watch until it must end. ``poll``: check at short intervals even before there is a job."""
    watching, ticks, most, before = False, 0, 0, 0
    while True:
        timeout = TICK_MS if watching or poll else None
        ready = {descriptor for descriptor, _ in poller.poll(timeout)}
        if control in ready:
            if os.read(control, 1) != b"s":  # end of file, or the grader's order to end it
                return "stopped", None, waited(child) - before
            watching, most = True, usage(child).memory + settings.memory
            before = waited(child)
        ended = os.wait4(child, os.WNOHANG)
        if ended[0]:
            return "exit", ended, 0
        used = usage(child) if watching else NOTHING
        if used.memory > most:
            return "memory", None, 0
        if used.threads > settings.threads:
            return "threads", None, 0
        ticks += 1
        if ticks % DISK_TICKS == 0 and _disk(child, settings) > settings.disk:
            return "disk", None, 0


def _disk(child: int, settings: Settings) -> int:
    """Count the bytes on disk of the worker's files: those in its folder and removed ones."""
    named = folder.size(settings.folder, settings.disk)
    return named + folder.nameless(child, settings.folder, settings.file_size)


def _process_handle(child: int) -> int | None:
    """Open a descriptor that becomes readable when ``child`` ends, if the system has them."""
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(child)
    except OSError:
        return None


class Usage(NamedTuple):
    """What a process uses: bytes of memory, and threads."""

    memory: int
    threads: int


NOTHING = Usage(0, 0)


def usage(process: int) -> Usage:
    """Return what ``process`` uses; nothing if that cannot be read."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            words = file.read().rpartition(b")")[2].split()
        return Usage(int(words[21]) * os.sysconf("SC_PAGE_SIZE"), int(words[17]))
    except (OSError, IndexError):
        return NOTHING if os.path.exists("/proc/self") else _usage_elsewhere(process)


def waited(process: int) -> int:
    """Return for how many milliseconds the first thread of ``process`` waited for a processor.

    0 if that cannot be read.
    """
    try:
        with open(f"/proc/{process}/schedstat", "rb") as file:
            return int(file.read().split()[1]) // 1_000_000
    except (OSError, IndexError, ValueError):
        return 0


def _usage_elsewhere(process: int) -> Usage:
    try:
        import psutil

        found = psutil.Process(process)
        return Usage(int(found.memory_info().rss), int(found.num_threads()))
    except Exception:  # noqa: BLE001 - psutil has its own errors, and may be missing
        return NOTHING


def _end(group: int) -> None:
    """Kill the worker's process group, and every remaining descendant of this process."""
    with suppress(OSError):
        os.killpg(group, signal.SIGKILL)
    deadline = time.monotonic() + REAPING_S
    while time.monotonic() < deadline:
        try:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            break
        for orphan in _children(os.getpid()):
            with suppress(OSError):
                os.kill(orphan, signal.SIGKILL)
        time.sleep(0.001)


def _children(parent: int) -> list[int]:
    """Return the processes whose parent is ``parent``."""
    found = []
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdecimal():
            with suppress(OSError, ValueError, IndexError):
                with open(f"/proc/{name}/stat", "rb") as file:
                    words = file.read().rpartition(b")")[2].split()
                if int(words[1]) == parent:
                    found.append(int(name))
    return found
