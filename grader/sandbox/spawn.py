"""Starts the worker: its pipes, its program, its settings."""

# pathlib would cost 10 ms of every start.
# ruff: noqa: PTH100, PTH118, PTH120
from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from grader.isolation import bubblewrap
from grader.isolation.folder import remove
from grader.sandbox import environment
from grader.sandbox.limits import Limits

GRADER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PER_CORE = 96 << 20
"""Bytes of address space, not memory: each core has a thread, with its own stack and heap."""
JOB_PIPE = 1 << 20
"""Capacity in bytes of the pipe to the worker, if the system lets us choose."""


class Spawned(NamedTuple):
    """A running worker: the process that ends it, our ends of its pipes, its folder.

    ``inside`` bubblewrap, the folder and the worker's process id have no meaning outside. A
    ``shared`` process outlives the worker.
    """

    process: int
    folder: str
    job: int
    messages: int
    output: int
    control: int
    ending: int
    inside: bool = False
    shared: bool = False


class Pipes:
    """The five pipes of a worker: the worker's ends and ours, in the order of ``Spawned``."""

    def __init__(self) -> None:
        self.theirs: list[int] = []
        self.ours: list[int] = []
        try:
            for outgoing in (True, False, False, True, False):
                read, write = os.pipe()
                self.ours.append(write if outgoing else read)
                self.theirs.append(read if outgoing else write)
        except OSError:
            self.close()
            raise
        for descriptor in self.ours:
            os.set_blocking(descriptor, False)
        with suppress(OSError, AttributeError):  # jobs are megabytes; only Linux enlarges pipes
            fcntl.fcntl(self.ours[0], fcntl.F_SETPIPE_SZ, JOB_PIPE)

    def close_theirs(self) -> None:
        """Close our copies of the worker's ends, once it has its own."""
        while self.theirs:
            os.close(self.theirs.pop())

    def close(self) -> None:
        """Close every end."""
        self.close_theirs()
        while self.ours:
            os.close(self.ours.pop())


def spawn(
    engine: str,
    limits: Limits,
    layers: tuple[str, ...],
    *,
    warm: bool = False,
    trusted: bool = False,
) -> Spawned:
    """Start a worker; a ``warm`` one runs a small forward pass before its job.

    Only what a ``trusted`` one compiles is kept.

    Raises:
        OSError: if the machine has no process, pipe or folder left.
    """
    folder = environment.make_folder(layers)
    pipes = None
    try:
        pipes = Pipes()
        job, messages, output, control, ending = pipes.theirs
        places = ((output, 1), (output, 2), (job, 3), (messages, 4), (control, 5), (ending, 6))
        told = settings(engine, limits, layers, folder, warm=warm)
        process = launch(told, layers, folder, places, trusted=trusted)
    except BaseException:
        if pipes is not None:
            pipes.close()
        remove(folder)
        raise
    pipes.close_theirs()
    job, messages, output, control, ending = pipes.ours
    return Spawned(process, folder, job, messages, output, control, ending, "bubblewrap" in layers)


def launch(
    arguments: list[str],
    layers: tuple[str, ...],
    folder: str,
    places: Iterable[tuple[int, int]],
    *,
    trusted: bool = False,
) -> int:
    """Start the worker's program with these descriptors and no others; return its process id."""
    from grader import frameworks
    from grader.base import course

    program = os.path.join(GRADER, "worker", "__main__.py")
    # Not -I: we set the environment anyway, and Python needs one of its variables.
    command = [sys.executable, "-s", "-P", "-B", "-X", "utf8", program, *arguments]
    if "bubblewrap" in layers:
        cache = frameworks.current().cache()
        shown = bubblewrap.command(GRADER, str(course.ROOT), folder, cache, 2 * Limits().disk)
        command = [*shown, *command]
    places = list(places)
    above = 1 + max(place for _, place in places)  # clear of the fixed descriptors
    moved = [(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, above), place) for end, place in places]
    actions: list[tuple[int, int, int] | tuple[int, int, str, int, int]] = [
        *((os.POSIX_SPAWN_OPEN, n, os.devnull, os.O_RDWR, 0) for n in (0, 1, 2)),
        *((os.POSIX_SPAWN_DUP2, end, place) for end, place in moved),
    ]
    try:
        return os.posix_spawn(
            command[0],
            command,
            environment.environment(folder, trusted=trusted),
            file_actions=actions,
            setsigmask=(),
        )
    finally:
        for end, _ in moved:
            os.close(end)


def settings(
    engine: str, limits: Limits, layers: tuple[str, ...], folder: str, *, warm: bool
) -> list[str]:
    """Return the settings for the worker's program, as ``name=value``."""
    from grader import frameworks
    from grader.base import course

    framework = frameworks.current()
    given = {
        "grader": GRADER,
        "course": course.ROOT,
        "folder": folder,
        "cache": framework.cache(),
        "framework": framework.name,
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
        "warm": int(warm),
        "programs": int(framework.runs_programs()),
    }
    return [f"{name}={value}" for name, value in given.items()]
