"""The first moments of the worker: one process becomes the referee and its only child.

The child confines itself, imports MAX and serves one job. Nothing here imports MAX or NumPy,
and nothing of the learner runs before every layer is in place.
"""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass
from typing import NoReturn

JOB, REPORT, CONTROL, RULING = 3, 4, 5, 6
"""File descriptors of the worker, fixed by the process that starts it."""


WORKER = "worker"
"""First argument of a process that is the worker already."""


@dataclass(frozen=True)
class Settings:
    """What the parent decides before the worker starts. Bytes, seconds, 0 or 1 for no or yes."""

    grader: str
    folder: str
    cache: str
    engine: str
    layers: tuple[str, ...]
    wall_ms: int
    memory: int
    address_space: int
    cpu: int
    file_size: int
    disk: int
    threads: int
    processes: int
    warm: int


def parse(arguments: list[str]) -> Settings:
    """Settings from ``name=value`` arguments."""
    given = dict(argument.split("=", 1) for argument in arguments)
    layers = tuple(given.pop("layers").split(","))
    texts = {name: given.pop(name) for name in ("grader", "folder", "cache", "engine")}
    numbers = {name: int(value) for name, value in given.items()}
    return Settings(**texts, **numbers, layers=layers)  # type: ignore[arg-type]


def main(arguments: list[str]) -> NoReturn:
    """Become the referee; its child becomes the worker. Neither returns."""
    from grader.worker import kernel, referee

    if arguments[0] == WORKER:
        _work_or_die(parse(arguments[2:]), int(arguments[1]))
    settings = parse(arguments)
    # CPython up to 3.12 formats the running task, each tensor in it, whenever asyncio.run
    # finds Python's own SIGINT handler: 22 s a forward.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.closerange(RULING + 1, 4096)
    os.setsid()
    kernel.adopt_orphans()
    supervisor = os.getpid()
    child = os.fork() if kernel.LINUX else _spawn(arguments)
    if child:
        referee.watch(child, settings)
    _work_or_die(settings, supervisor)


def _spawn(arguments: list[str]) -> int:
    """A worker from nothing: the libraries of macOS do not survive a fork."""
    command = [*sys.orig_argv[: -len(arguments)], WORKER, str(os.getpid()), *arguments]
    return os.posix_spawn(sys.executable, command, os.environ)


def _work_or_die(settings: Settings, supervisor: int) -> NoReturn:
    try:
        _work(settings, supervisor)
    except BaseException:  # noqa: BLE001
        # A fault of the worker, or of code that broke it: told, and not handed to Python's
        # own ending, which runs more of that code.
        sys.__excepthook__(*sys.exc_info())
    finally:
        os._exit(70)


def _work(settings: Settings, supervisor: int) -> None:
    from grader.worker import kernel

    os.close(CONTROL)
    os.close(RULING)
    os.setsid()
    kernel.die_with(supervisor)
    os.chdir(settings.folder)
    sys.argv = [""]
    sys.orig_argv = [sys.executable]
    from grader.worker import serve

    serve.serve(settings)
