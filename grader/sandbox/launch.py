"""Starts workers, after preparing the machine the first time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from grader.isolation import tiers
from grader.sandbox import bytecode
from grader.sandbox.limits import Limits
from grader.sandbox.running import Running
from grader.sandbox.spawn import GRADER, spawn

if TYPE_CHECKING:
    from grader.protocol.probe import Job, Outcome


def start(
    *,
    engine: str = "numpy",
    limits: Limits | None = None,
    layers: tuple[str, ...] = tiers.LAYERS,
    warm: bool = False,
    trusted: bool = False,
) -> Running:
    """Start a worker, which begins to import the framework.

    It applies those of ``layers`` that the machine offers; its outcome names the resulting tier.
    A ``warm`` worker also runs a small forward pass, for a job that comes later.
    ``trusted`` is for the course's own code: what it compiles is kept for all others.

    Raises:
        OSError: if the machine has no process, pipe or folder left.
    """
    from grader import frameworks

    limits = limits or Limits()
    layers = tiers.usable(layers)
    bytecode.keep(GRADER, frameworks.current().name)
    return Running(spawn(engine, limits, layers, warm=warm, trusted=trusted), limits)


def run(
    job: Job,
    *,
    limits: Limits | None = None,
    on_notice: Callable[[str], None] | None = None,
) -> Outcome:
    """Start a worker for ``job`` alone and wait for its outcome."""
    with start(engine=job.engine, limits=limits) as running:
        return running.finish(job, on_notice)


def offered() -> tiers.Offer:
    """Find out the tier that a worker started now gets, by starting one. Takes a second."""
    with start() as running:
        applied, problem = running.layers()
    tier = tiers.name(applied)
    missing = [layer for layer in tiers.LAYERS if layer not in applied]
    if tier == "sandboxed":
        return tiers.Offer(tier)
    if problem:
        return tiers.Offer("process", problem)
    return tiers.Offer(tier, *tiers.reason(missing))
