"""Starts workers, prepared for their first time on a machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from grader import engine as engines
from grader.sandbox import tiers
from grader.sandbox.limits import Limits
from grader.sandbox.running import Running
from grader.sandbox.spawn import spawn

if TYPE_CHECKING:
    from grader.probe import Job, Outcome


def start(
    *,
    engine: str = "numpy",
    limits: Limits | None = None,
    layers: tuple[str, ...] = tiers.LAYERS,
    warm: bool = False,
) -> Running:
    """Start a worker, which imports MAX from now on.

    It puts on those of ``layers`` that the machine offers; its outcome says what that made.
    ``warm`` has it run a small forward of its own too, for a job that comes later.
    The first time on a machine, this waits until MAX has compiled a part of itself.

    Raises:
        OSError: if the machine has no process, pipe or folder left.
    """
    limits = limits or Limits()
    _prepare()
    return Running(spawn(engine, limits, layers, warm=warm), limits)


def _prepare() -> None:
    """Let MAX compile what its import needs, here: in the worker it could write nothing."""
    if engines.prepared():
        return
    print("MAX compiles a part of itself, once on this machine (6 s) ...", file=sys.stderr)
    # Where MAX cannot be imported, the worker will say so, and why.
    with suppress(RuntimeError):
        engines.prepare()


def run(
    job: Job,
    *,
    limits: Limits | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> Outcome:
    """Start a worker for ``job`` alone and wait for its outcome."""
    with start(engine=job.engine, limits=limits) as running:
        return running.finish(job, on_progress)
