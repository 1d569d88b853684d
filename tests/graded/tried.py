"""For how many programs a change is found that was tried, in the sandbox as for a learner."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader import sandbox
from grader.base import course
from grader.base.model import Tried, Verdict
from grader.grading import pipeline
from grader.grading.tried import suggest

COLUMNS = "{:<6} {:>6} {:>14} {:>12} {:>14} {:>12} {:>8} {:>8}"
TITLES = ("step", "runs", "helped", "passes", "raises", "helped", "passes", "most s")

RUNS, RAISES = 0.85, 0.60
"""Of the mistakes that run, and of those that raise, how many must be helped."""


@dataclass(frozen=True)
class Program:
    """A wrong program: its name, its step, its text, and whether it raises, if that is known."""

    name: str
    step: str
    source: bytes
    raises: bool | None = None


@dataclass(frozen=True)
class Helped:
    """What was tried on a program, for ``seconds`` of processor time.

    Whether it raises is told by its report, if nothing else says so: then that has no numbers.
    """

    program: Program
    raises: bool
    tried: Tried | None
    seconds: float
    verdict: Verdict


def several(programs: Sequence[Program], seed: int) -> list[Helped]:
    """Ask for a tried change for each of these programs."""
    with (
        tempfile.TemporaryDirectory() as folder,
        sandbox.several() as start,
        _counted() as seconds,
    ):
        return [_one(one, Path(folder), seed, start, seconds) for one in programs]


def _one(
    one: Program,
    folder: Path,
    seed: int,
    start: Callable[..., sandbox.Worker],
    seconds: list[float],
) -> Helped:
    path = folder / f"step_{one.step.removeprefix('s')}.py"
    path.write_bytes(one.source)
    seconds.clear()
    options = pipeline.Options(seed=seed, follow=pipeline.Follow.FAILING)
    report = pipeline.grade(course.find(one.step), path, options, start)
    raises = report.excerpt is None if one.raises is None else one.raises
    change = report.explanation.change if report.explanation is not None else None
    return Helped(one, raises, change, sum(seconds), report.verdict)


@contextmanager
def _counted() -> Iterator[list[float]]:
    """The processor time of every search, in seconds."""
    seconds: list[float] = []
    before = suggest.suggest

    def counted(case: suggest.Case) -> Tried | None:
        search = suggest.Search(case)
        try:
            return search.found()
        finally:
            seconds.append(case.meter.spent)

    suggest.suggest = counted
    try:
        yield seconds
    finally:
        suggest.suggest = before


def row(name: str, found: Sequence[Helped]) -> str:
    """One row of the table: of a step, or of all."""
    cells: list[object] = [name]
    for raises in (False, True):
        some = [one for one in found if one.raises is raises]
        helped = sum(one.tried is not None for one in some)
        passes = sum(one.tried is not None and one.tried.passes for one in some)
        cells += [len(some), f"{helped} ({helped / max(1, len(some)):.0%})", passes]
    return COLUMNS.format(*cells, f"{max((one.seconds for one in found), default=0):.2f}")


def reached(found: Sequence[Helped]) -> bool:
    """Whether enough are helped."""
    return all(
        sum(one.tried is not None for one in some) >= share * len(some)
        for raises, share in ((False, RUNS), (True, RAISES))
        for some in [[one for one in found if one.raises is raises]]
    )
