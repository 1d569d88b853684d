"""The kernels of a step, compiled with the reference solution before a learner's file runs.

A learner's worker may read the framework's cache of compiled kernels but not write there, so what
it compiles is lost. The solution needs the same kernels, is trusted, and fills the cache: minutes,
once per machine. The default engine compiles nothing and needs none of this.
"""

from __future__ import annotations

import hashlib
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np

from grader import frameworks, sandbox
from grader.base import course
from grader.base.model import Step
from grader.frameworks import Framework
from grader.protocol.probe import Job
from grader.sandbox import Limits

LIMITS = Limits(wall=600.0, compiling=3600.0)


def compile_ahead(step: Step, engine: str) -> None:
    """Run the solution of ``step`` on this engine, unless that was already done here.

    Raises:
        RuntimeError: the framework could not be prepared; the message says why.
    """
    from grader.rubric import load

    framework = frameworks.current()
    framework.prepare()
    stamp = _stamp(step, framework)
    if stamp.exists():
        return
    print(
        f"{framework.title} compiles its kernels for step {step.number}, once on this machine "
        "(minutes) ...",
        file=sys.stderr,
    )
    trials = load.rubric(step).draw(np.random.default_rng(0))
    job = Job(
        file=step.solution.name,
        source=step.solution.read_text(encoding="utf-8"),
        modules=course.earlier_modules(step),
        configuration=course.load(step.root).configuration,
        probes=tuple(trial.probe for trial in trials),
        engine=engine,
    )
    with sandbox.start(engine=engine, limits=LIMITS, layers=("limits",), trusted=True) as running:
        outcome = running.finish(job, _say)
    if outcome.ended == "done":
        with suppress(OSError):  # then it is repeated next time
            stamp.parent.mkdir(parents=True, exist_ok=True)
            stamp.touch()


def _stamp(step: Step, framework: Framework) -> Path:
    """A marker in the framework's cache: the kernels of this solution were compiled."""
    name = f"{framework.versions()} {step.course} {step.id} ".encode()
    state = hashlib.sha256(name + step.solution.read_bytes())
    return Path(framework.cache()) / "grader" / state.hexdigest()[:16]


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
