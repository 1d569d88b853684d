"""What the grader says about one variant or mutant, and what is true. Runs in worker processes."""

from __future__ import annotations

import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from grader import sandbox
from grader.base import course
from grader.base.model import Report, Status, Verdict
from grader.rubric import load
from tests.graded.variants import Variant, as_file
from tests.mutate import Mutant

_File = TypeVar("_File")
_Said = TypeVar("_Said")

TASKS = 200
"""Files that one process grades: MAX keeps about 2 MB of each.

A new pool per batch, since one with ``max_tasks_per_child`` can wait forever (CPython 115634).
"""


@dataclass(frozen=True)
class Graded:
    """One file, graded."""

    name: str
    step: str
    right: bool
    passed: bool
    failed: tuple[str, ...]
    diagnosis: tuple[str, ...]
    named: bool
    seconds: float
    crash: str = ""
    why: str = ""
    report: Report | None = None

    @property
    def agrees(self) -> bool:
        """Whether the verdict is the truth."""
        return not self.crash and self.passed == self.right

    def __str__(self) -> str:
        said = self.crash or (
            f"{'pass' if self.passed else 'fail'}, first ❌ {self.failed[:1] or '–'}, "
            f"diagnosis {' + '.join(self.diagnosis) or '–'}"
        )
        return f"{self.name}: {said}{f' ({self.why})' if self.why else ''}"


MOST_MEMORY = 12 << 30
"""Bytes of addresses for one process; MAX alone takes a third of that."""


def start() -> None:
    """Prepare a process: MAX is imported once."""
    from tests.graded import direct

    direct.start()


def start_pool() -> None:
    """The same for a process of a pool, which starts no others.

    A program that asks for all memory gets an error, as it does in a worker.
    """
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, resource.RLIM_INFINITY))
    start()


def results(jobs: int, grade: Callable[[_File], _Said], files: Sequence[_File]) -> Iterator[_Said]:
    """What ``grade`` says of each file, as it comes, from ``jobs`` processes."""
    context, count = multiprocessing.get_context("spawn"), 0
    for begin in range(0, len(files), jobs * TASKS):
        some = files[begin : begin + jobs * TASKS]
        with ProcessPoolExecutor(min(jobs, len(some)), context, start_pool) as pool:
            for future in as_completed([pool.submit(grade, one) for one in some]):
                count += 1
                if sys.stderr.isatty():
                    print(f"\r{count} of {len(files)} ", end="", file=sys.stderr, flush=True)
                yield future.result()
    if sys.stderr.isatty():
        print("\r", end="", file=sys.stderr)


def variant(one: Variant, seed: int, *, prove: bool = False) -> Graded:
    """Grade a variant in this process, or through the real pipeline where it must be.

    ``prove`` runs it first, apart from the grader, to see that it is what its folder says.
    """
    if one.fresh:
        return piped(one, seed)
    if prove and (lie := _mislabelled(one)):
        return _crashed(one.name, one.step, one.right, ValueError(lie))
    return _timed(one, seed, inside_report)


def piped(one: Variant, seed: int, start: Callable[..., sandbox.Running] = sandbox.start) -> Graded:
    """Grade a variant through the real pipeline, in a worker process from ``start``."""
    return _timed(one, seed, partial(piped_report, start=start))


def _timed(one: Variant, seed: int, report_of: Callable[[Variant, int], Report]) -> Graded:
    started = time.perf_counter()
    try:
        report = report_of(one, seed)
    except Exception as error:  # noqa: BLE001  a crash of the grader is a finding
        return _crashed(one.name, one.step, one.right, error)
    seconds = time.perf_counter() - started
    found = _graded(one.name, one.step, one.right, report, seconds)
    return found if one.right else _named(found, one)


def _mislabelled(one: Variant) -> str:
    """How the file differs from what its folder says it is."""
    from tests.graded import direct

    truth = direct.truth(one.step, one.source)
    if truth.right == one.right:
        return ""
    return f"it is right (off by {truth.off:.1e})" if truth.right else f"it is wrong: {truth.why}"


def inside_report(one: Variant, seed: int) -> Report:
    """The report, made in this process."""
    from tests.graded import in_process

    with as_file(one) as path:
        return in_process.grade(course.find(one.step), path, seed=seed)


def piped_report(one: Variant, seed: int, start: Callable[..., sandbox.Running]) -> Report:
    """The report that a learner gets."""
    from grader import pipeline

    with as_file(one) as path:
        return pipeline.grade(course.find(one.step), path, pipeline.Options(seed=seed), start)


def mutant(step: str, one: Mutant, seed: int) -> Graded:
    """Grade a mutant, after running it to see whether it is still right."""
    from tests.graded import direct, in_process

    name = f"{step} line {one.line}: {one.kind}: {one.change}"
    truth = direct.truth(step, one.source.encode())
    started = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"step_{step.removeprefix('s')}.py"
        path.write_text(one.source, encoding="utf-8")
        try:
            report = in_process.grade(course.find(step), path, seed=seed)
        except Exception as error:  # noqa: BLE001
            return _crashed(name, step, truth.right, error)
    seconds = time.process_time() - started
    return _graded(name, step, truth.right, report, seconds, why=truth.why)


def _graded(
    name: str, step: str, right: bool, report: Report, seconds: float, why: str = ""
) -> Graded:
    problem = ("file",) if report.problem else ()
    failed = problem + tuple(c.id for c in report.checks if c.status is Status.FAIL)
    diagnosis = tuple(found.misconception for found in report.diagnosis)
    crash = "grader error" if report.verdict is Verdict.ERROR else ""
    return Graded(
        name,
        step,
        right,
        report.verdict is Verdict.PASS,
        failed,
        diagnosis,
        True,
        seconds,
        crash,
        why,
        report,
    )


def _named(found: Graded, one: Variant) -> Graded:
    """With the answer to: does the diagnosis, or else the first ❌, name the right concept?

    What a rule itself recognises is told at that ❌, and has no name that a variant could give.
    """
    known = {mistake.id for mistake in load.rubric(course.find(one.step)).misconceptions}
    named = (
        set(found.diagnosis) in one.concepts
        if known.intersection(found.diagnosis)
        else bool(found.failed) and found.failed[0] in one.checks
    )
    concepts = " | ".join(" + ".join(sorted(concept)) for concept in one.concepts)
    wanted = f"wanted {concepts}, or first ❌ of {', '.join(one.checks)}"
    return Graded(**{**found.__dict__, "named": named, "why": wanted})


def _crashed(name: str, step: str, right: bool, error: Exception) -> Graded:
    return Graded(name, step, right, False, (), (), False, 0.0, f"{type(error).__name__}: {error}")
