"""Starts the worker: its pipes, its program, its settings."""

# pathlib would cost 10 ms of every start.
# ruff: noqa: PTH100, PTH103, PTH118, PTH120
from __future__ import annotations

import fcntl
import os
import sys
from contextlib import suppress
from typing import NamedTuple

from grader.sandbox import surroundings
from grader.sandbox.limits import Limits
from grader.worker.folder import remove

GRADER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PER_CORE = 96 << 20
"""Address space, not memory: MAX starts threads for the cores, each with a stack and a heap."""
ABOVE = 64
"""Pipe ends are moved up here while spawning, out of the way of the worker's own numbers."""


class Spawned(NamedTuple):
    """A worker under way: its referee's process id, our ends of the pipes, its folder."""

    process: int
    folder: str
    job: int
    report: int
    output: int
    control: int
    ruling: int


def spawn(engine: str, limits: Limits, layers: tuple[str, ...], *, warm: bool = False) -> Spawned:
    """Start a worker, which runs a forward of its own before its job if it is to be ``warm``.

    Raises:
        OSError: if the machine has no process, pipe or folder left.
    """
    with suppress(OSError):
        os.makedirs(surroundings.compile_cache(), exist_ok=True)
    folder = surroundings.make_folder()
    pipes = [os.pipe() for _ in range(5)]
    output, job, report, control, ruling = pipes
    theirs = [output[1], job[0], report[1], control[0], ruling[1]]
    ours = [output[0], job[1], report[0], control[1], ruling[0]]
    try:
        arguments = [*_arguments(engine, limits, layers, folder), f"warm={int(warm)}"]
        process = _spawn(theirs, arguments, folder)
    except BaseException:
        for descriptor in ours:
            os.close(descriptor)
        remove(folder)
        raise
    finally:
        for descriptor in theirs:
            os.close(descriptor)
    for descriptor in ours:
        os.set_blocking(descriptor, False)
    return Spawned(process, folder, ours[1], ours[2], ours[0], ours[3], ours[4])


def _spawn(theirs: list[int], arguments: list[str], folder: str) -> int:
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, ABOVE) for end in theirs]
    output, job, report, control, ruling = moved
    places = ((output, 1), (output, 2), (job, 3), (report, 4), (control, 5), (ruling, 6))
    actions: list[tuple[int, int, int] | tuple[int, int, str, int, int]] = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        *((os.POSIX_SPAWN_DUP2, source, target) for source, target in places),
    ]
    try:
        return os.posix_spawn(
            sys.executable,
            arguments,
            surroundings.environment(folder),
            file_actions=actions,
            setsigmask=(),
        )
    finally:
        for descriptor in moved:
            os.close(descriptor)


def _arguments(engine: str, limits: Limits, layers: tuple[str, ...], folder: str) -> list[str]:
    settings = {
        "grader": GRADER,
        "folder": folder,
        "cache": surroundings.compile_cache(),
        "engine": engine,
        "layers": ",".join(layers),
        "wall_ms": int(1000 * limits.wall),
        "memory": limits.memory,
        "address_space": limits.address_space + PER_CORE * (os.cpu_count() or 1),
        "cpu": limits.cpu,
        "file_size": limits.file_size,
        "disk": limits.disk,
        "threads": limits.threads,
        "processes": limits.processes,
    }
    program = os.path.join(GRADER, "worker", "__main__.py")
    options = ("-I", "-B", "-X", "utf8")
    given = [f"{name}={value}" for name, value in settings.items()]
    return [sys.executable, *options, program, *given]
