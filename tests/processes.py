"""The processes that tests start, and all that these start: none outlives the tests.

Each inherits a variable that names the run of pytest and the process of pytest-xdist, so a process
is found that has a session of its own, or has lost its parent. Elsewhere than on Linux, none is.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

RUN = "COURSE_TESTS"
PATIENCE_S = 10.0
"""What has been told to end may take a moment."""


@contextmanager
def ended_with_this() -> Iterator[None]:
    """Mark what is started in this context; it ends with this process, whatever ends that.

    The keeper is another process. It waits until nobody holds the other end of its input.
    """
    run = f"{os.getpid()}-{time.time_ns()}"
    command = [sys.executable, "-S", __file__, run]
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True):
        os.environ[RUN] = run
        yield


def mark_those_of(worker: str) -> None:
    """Tell apart what this process of pytest-xdist starts."""
    os.environ[RUN] += f".{worker}"


@contextmanager
def kept() -> Iterator[None]:
    """What is started when this context begins may outlive the tests of a file."""
    os.environ[RUN] += ".kept"
    try:
        yield
    finally:
        os.environ[RUN] = os.environ[RUN].removesuffix(".kept")


def left() -> list[int]:
    """What was started here and still runs after a moment, as process ids."""
    deadline = time.monotonic() + PATIENCE_S
    while (found := _of(f"{os.environ[RUN]}\0")) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def name(process: int) -> str:
    """The command line of a process."""
    with suppress(OSError):
        words = Path(f"/proc/{process}/cmdline").read_bytes()
        return words.replace(b"\0", b" ").decode(errors="replace")[:200]
    return str(process)


def kill(processes: list[int]) -> None:
    """Kill them."""
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def _of(run: str) -> list[int]:
    """The processes that were started with this at the beginning of the variable."""
    mark = f"\0{RUN}={run}".encode()
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # it belongs to somebody else, or has ended
            if mark in b"\0" + path.read_bytes():
                found.append(int(path.parent.name))
    return [process for process in found if "resource_tracker" not in name(process)]


if __name__ == "__main__":
    sys.stdin.read()
    until = time.monotonic() + PATIENCE_S
    while (alive := _of(sys.argv[1])) and time.monotonic() < until:
        kill(alive)
        time.sleep(0.01)
