"""What a fail costs more than a pass: ``python -m tools.bench fails``, in the environment ``test``.

Processor time of a grading with its explanation, of the grader and of its workers, on mistakes of
``tests/mistakes``: beside the same program before it had the mistake, in the same run, because
programs differ more than that. Run nothing else meanwhile.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from grader import sandbox
from grader.base import course
from grader.base.model import Step
from grader.grading.meter import Meter
from grader.grading.pipeline import Follow, Options, grade
from tests.graded import mistakes, variants

SEED = 7
ASKED_S = 0.4


def main(arguments: Sequence[str] | None = None) -> None:
    """Print, for each step, what passes take and what fails take more."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench fails", description=__doc__)
    parser.add_argument("steps", nargs="*", help="such as s05; all without")
    parser.add_argument("--count", type=int, default=20, help="mistakes of each step")
    parser.add_argument("--turns", type=int, default=3, help="gradings of each; the least counts")
    asked = parser.parse_args(arguments)
    steps = [course.find(name) for name in asked.steps] or course.steps()
    with sandbox.several() as start, tempfile.TemporaryDirectory() as folder:
        for step in steps:
            path = Path(folder) / f"step_{step.number}.py"
            _measure(step, path, asked.count, asked.turns, start)


def _measure(
    step: Step, path: Path, count: int, turns: int, start: Callable[..., sandbox.Worker]
) -> None:
    passes: dict[str, float] = {}
    more: dict[str, float] = {}
    for one in variants.sample(mistakes.of(step.id), count):
        if one.base not in passes:
            passes[one.base] = _least(step, path, one.base, turns, start)
        more[one.name] = _least(step, path, one.source, turns, start) - passes[one.base]
    most = sorted(more, key=more.__getitem__)[-3:]
    print(
        f"{step.id}: pass {statistics.median(passes.values()):.2f} s; {len(more)} fails, more: "
        f"median {statistics.median(more.values()):.2f} s, "
        f"above {ASKED_S}: {sum(each > ASKED_S for each in more.values())}; "
        f"most: {', '.join(f'{name} {more[name]:.2f}' for name in most[::-1])}",
        flush=True,
    )


def _least(
    step: Step, path: Path, source: str, turns: int, start: Callable[..., sandbox.Worker]
) -> float:
    """Seconds of processor time of one grading."""
    path.write_text(source, encoding="utf-8")
    found = []
    for _ in range(turns):
        meter = Meter(start)
        grade(step, path, Options(seed=SEED, follow=Follow.FAILING), meter.start)
        found.append(meter.spent)
    return min(found)
