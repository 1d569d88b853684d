"""MAX's own kernels of a step, compiled with the reference solution before a learner's file.

A learner's worker may read MAX's cache of compiled kernels and not write there, so what it
compiles is lost. The solution needs the same kernels, is trusted, and fills the cache: minutes,
once on a machine. The default engine compiles nothing and needs none of this.
"""

from __future__ import annotations

import hashlib
import sys
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import numpy as np

from grader import sandbox
from grader.base import course
from grader.base.model import Step
from grader.protocol.probe import Job
from grader.sandbox import Limits, environment

LIMITS = Limits(wall=600.0, compiling=3600.0)


def compile_ahead(step: Step) -> None:
    """Run the solution of ``step`` on MAX's own kernels, unless that was done here before."""
    from grader.rubric import load

    stamp = _stamp(step)
    if stamp.exists():
        return
    print(
        f"MAX compiles its kernels for step {step.number}, once on this machine (minutes) ...",
        file=sys.stderr,
    )
    trials = load.rubric(step).draw(np.random.default_rng(0))
    job = Job(
        file=step.solution.name,
        source=step.solution.read_text(encoding="utf-8"),
        modules=course.earlier_modules(step),
        probes=tuple(trial.probe for trial in trials),
        engine="max",
    )
    with sandbox.start(engine="max", limits=LIMITS, layers=("limits",), trusted=True) as running:
        outcome = running.finish(job, _say)
    if outcome.ended == "done":
        with suppress(OSError):  # then it is done again next time
            stamp.parent.mkdir(parents=True, exist_ok=True)
            stamp.touch()


def _stamp(step: Step) -> Path:
    """A file in MAX's cache that says: the kernels of this solution were compiled."""
    state = hashlib.sha256(f"{version('max')} {step.id} ".encode() + step.solution.read_bytes())
    return Path(environment.compile_cache()) / "grader" / state.hexdigest()[:16]


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
