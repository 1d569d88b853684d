"""Measures the cost of one grading: CPU seconds with a fresh, a pooled and a forked worker."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

from grader import sandbox
from grader.base import course
from grader.pipeline import Options, grade
from tests.graded import variants

LIMIT_S = 60.0
WRONG = "s05/wrong/scale_sqrt_seq"


def main(turns: int) -> None:
    """Print, for a right and a wrong file of step 05, CPU seconds and seconds of waiting."""
    step = course.find("s05")
    grade(step, step.solution)  # imports of this process are not counted
    with variants.as_file(variants.find(WRONG)) as wrong:
        for name, path in (("right", step.solution), ("wrong", wrong)):
            for kind in ("fresh", "pooled", "forked"):
                mine, workers, wall = _measure(kind, path, turns)
                print(
                    f"{name}, {kind}: {mine + workers:.3f} CPU seconds per grading "
                    f"(grader {mine:.3f}, worker {workers:.3f}), report after {wall:.3f} s "
                    f"(mean of {turns})",
                    flush=True,
                )


def _measure(kind: str, path: Path, turns: int) -> tuple[float, float, float]:
    """Seconds per grading: of this process, of its worker, and until the report."""
    _, before, _ = _run(kind, path, 0)  # what is started but not used is not counted
    mine, workers, wall = _run(kind, path, turns)
    return mine / turns, (workers - before) / turns, wall / turns


def _run(kind: str, path: Path, turns: int) -> tuple[float, float, float]:
    mine, workers = _used(resource.RUSAGE_SELF), _used(resource.RUSAGE_CHILDREN)
    wall = 0.0
    if kind == "fresh":
        wall = sum(_grade(path, seed, sandbox.start) for seed in range(turns))
    else:
        with sandbox.WorkerPool(1, forked=kind == "forked") as pool:
            _wait(pool)
            for seed in range(turns):
                wall += _grade(path, seed, pool.start)
                _wait(pool)
    return (
        _used(resource.RUSAGE_SELF) - mine,
        _used(resource.RUSAGE_CHILDREN) - workers,
        wall,
    )


def _grade(path: Path, seed: int, start: Callable[..., sandbox.Running]) -> float:
    """Grade ``path``; seconds until the report."""
    started = time.perf_counter()
    grade(course.find("s05"), path, Options(seed=seed), start=start)
    return time.perf_counter() - started


def _wait(pool: sandbox.WorkerPool) -> None:
    limit = time.monotonic() + LIMIT_S
    while not pool.ready:
        if time.monotonic() > limit:
            sys.exit(f"No worker was ready within {LIMIT_S:.0f} s.")
        time.sleep(0.02)


def _used(whose: int) -> float:
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime
