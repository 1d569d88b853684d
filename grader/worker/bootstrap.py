"""The first moments of the worker: one process becomes the supervisor and its only child.

The child confines itself, imports the framework and does its job. Nothing here imports the
framework, and no learner's code runs before every layer is in force.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import NoReturn

from grader.isolation.settings import CONTROL, ENDING, FORK_SERVER, WORKER, Settings, parse
from grader.worker import child


def main(arguments: list[str]) -> NoReturn:
    """Become the supervisor, while a child becomes the worker. Neither returns."""
    from grader.isolation import kernel, supervisor

    if arguments[0] == WORKER:
        child.work_or_die(parse(arguments[2:]), int(arguments[1]))
    forking = arguments[0] == FORK_SERVER
    settings = parse(arguments[2:] if forking else arguments)
    # With Python's own SIGINT handler, asyncio.run of CPython up to 3.12 formats the running task
    # with each tensor in it: 22 s per forward pass.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.closerange(ENDING + 1, 4096)
    with suppress(OSError):  # bubblewrap has already made a session
        os.setsid()
    kernel.adopt_orphans()
    supervise(settings)
    if forking:
        from grader.worker import fork_server

        fork_server.keep(settings, int(arguments[1]))
    parent = os.getpid()
    worker = os.fork() if kernel.LINUX else _spawn(arguments)
    if worker:
        supervisor.watch(worker, settings)
    os.close(CONTROL)
    os.close(ENDING)
    child.work_or_die(settings, parent)


def supervise(settings: Settings) -> None:
    """Stop being root, and end with the process that started this one.

    The kernel ends this process with bubblewrap's outer process only on request. When requested
    here, it does not matter which thread of the grader started bubblewrap.
    """
    from grader.isolation import kernel
    from grader.isolation.folder import NOBODY

    if "user" in settings.layers and os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        kernel.prctl(kernel.PR_SET_DUMPABLE, 1)
    if "bubblewrap" in settings.layers:
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        os.environ.pop("PWD", None)


def _spawn(arguments: list[str]) -> int:
    """Start a worker from scratch: macOS libraries do not survive a fork."""
    command = [*sys.orig_argv[: -len(arguments)], WORKER, str(os.getpid()), *arguments]
    return os.posix_spawn(sys.executable, command, os.environ)
