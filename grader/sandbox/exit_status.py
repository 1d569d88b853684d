"""What the supervisor reports about a worker that has ended, and what it means for the file."""

from __future__ import annotations

import signal
from typing import NamedTuple

from grader.sandbox.limits import Limits

OUT_OF_MEMORY = 71
"""The worker's exit status if it could not even report its error."""


OUTSIDE = "it was killed from outside, perhaps because the machine ran out of memory"


class Ending(NamedTuple):
    """Why the worker ended (``exit``: by itself; else the supervisor ended it), and its status.

    Milliseconds: the processor time it used, and how long it waited for a processor in its job.
    """

    reason: str = ""
    status: int | None = None
    cpu_ms: int = 0
    waited_ms: int = 0


def read(line: bytes) -> Ending:
    """Parse the supervisor's line; an empty ending if it could not write one."""
    words = line.decode("ascii", "replace").split()
    try:
        return Ending(words[0], int(words[1]), int(words[2]), int(words[3]))
    except (IndexError, ValueError):
        return Ending()


def starved(ending: Ending, elapsed: float) -> bool:
    """Whether a program had hardly any processor time in ``elapsed`` seconds, though it wanted it.

    False for one that sleeps, since that is no waiting, or whose own threads use the processors.
    """
    return 2 * ending.waited_ms > 1000 * elapsed > 4 * ending.cpu_ms


def interpret(ending: Ending, limits: Limits, *, sealed: bool) -> tuple[str, str]:
    """Return how a worker with a job ended, in the words of ``Outcome.ended``, and the problem.

    A ``sealed`` worker cannot have killed itself.
    """
    if ending.reason == "disk":
        return "memory", f"more than {limits.disk >> 20} MiB of files"
    if ending.reason == "threads":
        return "memory", f"more than {limits.threads} threads"
    if ending.reason == "memory" or ending.status == OUT_OF_MEMORY:
        return "memory", ""
    spent = ending.cpu_ms >= 1000 * limits.cpu
    if spent and ending.status in (-signal.SIGKILL, -signal.SIGXCPU):
        return "timeout", ""
    if ending.reason == "stopped":
        return "machine", "the grading was cancelled"
    # A program can send itself other signals. A supervisor without a line was killed too.
    if ending.status == -signal.SIGKILL or not ending.reason:
        return "killed", OUTSIDE if sealed else ""
    return "exit", ""
