"""The cost of one grading: CPU seconds with a fresh, a pooled and a forked worker."""

from __future__ import annotations

import os
import resource
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import click

from grader import sandbox
from grader.base import course
from grader.pipeline import Options, grade
from tests.graded import variants
from tools.bench.processes import TURNS, used

LIMIT_S = 60.0
WRONG = "s05/wrong/scale_sqrt_seq"


@click.command()
@TURNS
def main(turns: int) -> None:
    """CPU seconds of one grading with a fresh, a pooled and a forked worker."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as in the grader's own process
    step = course.find("s05")
    grade(step, step.solution)  # imports of this process are not counted
    with variants.as_file(variants.find(WRONG)) as wrong:
        for name, path in (("right", step.solution), ("wrong", wrong)):
            for kind in ("fresh", "pooled", "forked"):
                _, before, _ = _run(kind, path, 0)  # what is started but not used
                mine, workers, wall = _run(kind, path, turns)
                mine, workers, wall = mine / turns, (workers - before) / turns, wall / turns
                print(
                    f"{name}, {kind}: {mine + workers:.3f} CPU seconds per grading "
                    f"(grader {mine:.3f}, worker {workers:.3f}), report after {wall:.3f} s "
                    f"(mean of {turns})",
                    flush=True,
                )


def _run(kind: str, path: Path, turns: int) -> tuple[float, float, float]:
    """Seconds of this process, of the workers, and until the reports, of all turns."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    before = [used(each) for each in whose]
    wall = 0.0
    with (
        nullcontext() if kind == "fresh" else sandbox.WorkerPool(1, forked=kind == "forked") as pool
    ):
        _wait(pool)
        for seed in range(turns):
            started = time.perf_counter()
            start = sandbox.start if pool is None else pool.start
            grade(course.find("s05"), path, Options(seed=seed), start=start)
            wall += time.perf_counter() - started
            _wait(pool)
    mine, workers = (used(each) - earlier for each, earlier in zip(whose, before, strict=True))
    return mine, workers, wall


def _wait(pool: sandbox.WorkerPool | None) -> None:
    limit = time.monotonic() + LIMIT_S
    while pool is not None and not pool.ready:
        if time.monotonic() > limit:
            sys.exit(f"No worker was ready within {LIMIT_S:.0f} s.")
        time.sleep(0.02)
