"""A process that has imported the framework and forks a worker for each job, one at a time.

Forking hangs once the framework has started threads. This process stops short of that: it imports
only what starts none, runs no learner's code, and lets each child continue from there. A child
leaves nothing for the next: its processes and its folder are gone before another is forked.
"""

# pathlib would cost 10 ms of every start.
# ruff: noqa: PTH102, SIM115
from __future__ import annotations

import fcntl
import os
import socket
import sys
from contextlib import suppress
from typing import NoReturn

from grader import frameworks
from grader.isolation import folder, kernel, supervisor
from grader.isolation.settings import ENDING, JOB, MESSAGES, Settings, parse
from grader.worker import child, serve

SOCKET = 3
"""The descriptor on which requests arrive: settings as text, with five ends of pipes."""
REQUEST = 64 * 1024
ENDS = 5
ABOVE = ENDING + 1
"""Pipe ends are moved up here, clear of a worker's fixed descriptors."""


def keep(settings: Settings, count: int) -> NoReturn:
    """Fork a worker for each request until the grader closes its end; ``count`` of them at once."""
    above = max(ABOVE, SOCKET + count)
    moved = (fcntl.fcntl(SOCKET + n, fcntl.F_DUPFD_CLOEXEC, above) for n in range(count))
    sockets = [socket.socket(fileno=end) for end in moved]
    os.closerange(SOCKET, above)
    with suppress(BaseException):  # each worker tries again, and can report what fails
        serve.import_single_threaded(settings, forking=True)
    if supervisor.usage(os.getpid()).threads > 1:
        os._exit(1)
    if count == 1:
        _serve(sockets[0])
    else:
        _serve_apart(sockets)
    folder.remove(settings.folder)
    os._exit(0)


def _serve_apart(sockets: list[socket.socket]) -> None:
    """Fork a process to serve each socket, and wait for these processes.

    Each shares the imports but has its own children, and ends the remains of its own workers only.
    """
    parent = os.getpid()
    for own in sockets:
        if os.fork() == 0:
            kernel.die_with(parent)
            kernel.adopt_orphans()
            for other in sockets:
                if other is not own:
                    other.close()
            with suppress(BaseException):
                _serve(own)
            os._exit(0)
    for each in sockets:
        each.close()
    for _ in sockets:
        os.wait()


def _serve(requests: socket.socket) -> None:
    """Fork a worker for each request, one after the other, until the grader closes its end."""
    while True:
        text, descriptors, _, _ = socket.recv_fds(requests, REQUEST, ENDS)
        if len(descriptors) != ENDS:
            return
        moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, ABOVE) for end in descriptors]
        for descriptor in descriptors:
            os.close(descriptor)
        _one(parse(text.decode().split("\n")), moved)


def _one(settings: Settings, descriptors: list[int]) -> None:
    """Fork a worker, watch it until it ends, and forget it."""
    job, messages, output, control, ending = descriptors
    os.mkdir(settings.folder, 0o700)
    parent = os.getpid()
    worker = os.fork()
    if worker == 0:
        _become(settings, parent, output, job, messages)
    for descriptor in (output, job, messages):
        os.close(descriptor)
    supervisor.oversee(worker, settings, control, ending)
    os.close(control)
    os.close(ending)


def _become(settings: Settings, parent: int, output: int, job: int, messages: int) -> NoReturn:
    """In the child: be a worker that differs from others only in its folder."""
    for end, place in ((output, 1), (output, 2), (job, JOB), (messages, MESSAGES)):
        os.dup2(end, place, inheritable=False)
    os.closerange(MESSAGES + 1, 4096)
    os.environ.update(HOME=settings.folder, TMPDIR=settings.folder)
    os.environ.update(frameworks.load(settings.framework).environment(settings.folder))
    # Python's streams still treat their descriptors as seekable files, which they were.
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = open(2, "w", encoding="utf-8", closefd=False)  # type: ignore[misc]
    child.work_or_die(settings, parent)
