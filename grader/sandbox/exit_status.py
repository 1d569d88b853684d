"""What the supervisor reports about an ended worker, and what that means for the file."""

from __future__ import annotations

import signal
from typing import NamedTuple

from grader.sandbox.limits import Limits

OUT_OF_MEMORY = 71
"""The worker's exit status if it could not even report its error."""


OUTSIDE = "it was killed from outside, perhaps because the machine ran out of memory"


class Ending(NamedTuple):
    """Why the supervisor ended the worker (``exit``: it did so itself), and how it left.

    Milliseconds: what it had of the processors, and how long it waited for one during its job.
    """

    reason: str = ""
    status: int | None = None
    cpu_ms: int = 0
    waited_ms: int = 0


def read(line: bytes) -> Ending:
    """The supervisor's line; an empty ending if it could not say anything."""
    words = line.decode("ascii", "replace").split()
    try:
        return Ending(words[0], int(words[1]), int(words[2]), int(words[3]))
    except (IndexError, ValueError):
        return Ending()


def starved(ending: Ending, elapsed: float) -> bool:
    """Whether a program had hardly a processor in ``elapsed`` seconds, though it wanted one.

    Not one that sleeps, which waits for nothing, nor one whose own threads take its processors.
    """
    return 2 * ending.waited_ms > 1000 * elapsed > 4 * ending.cpu_ms


def interpret(ending: Ending, limits: Limits, *, sealed: bool) -> tuple[str, str]:
    """How a worker with a job ended, in the words of ``Outcome.ended``, and the problem.

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
    # The other signals a program can send itself. Who says nothing was killed with it.
    if ending.status == -signal.SIGKILL or not ending.reason:
        return "killed", OUTSIDE if sealed else ""
    return "exit", ""
