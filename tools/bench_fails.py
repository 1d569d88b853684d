"""What a fail costs more: ``python -m tools.bench fails``, in the environment ``test``.

Processor time of a grading with its explanation, of the grader and of its workers, on mistakes of
``tests/mistakes``, in one run: that of the explanation alone, after all is judged, and that of the
whole beside the program before it had the mistake. The latter has what the mistake itself takes,
such as a loop that does not end. Run nothing else meanwhile.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from grader import sandbox
from grader.base import course
from grader.base.model import Step
from grader.explain.meter import Meter
from grader.learner.tasks import typed
from grader.pipeline import Follow, Options, grade
from tests.graded import mistakes, variants

SEED = 7
ASKED_S = 0.4


def main(arguments: Sequence[str] | None = None) -> None:
    """Print, for each step, what explaining a fail takes, and a fail more than a pass."""
    parser = argparse.ArgumentParser(
        prog=typed("bench fails", "python -m tools.bench fails"), description=__doc__
    )
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
    explaining: dict[str, float] = {}
    beside: dict[str, float] = {}
    for one in variants.sample(mistakes.of(step.id), count):
        if one.base not in passes:
            passes[one.base], _ = _least(step, path, one.base, turns, start)
        whole, explaining[one.name] = _least(step, path, one.source, turns, start)
        beside[one.name] = whole - passes[one.base]
    print(f"{step.id}: {len(beside)} fails; a pass takes {_median(passes):.2f} s")
    print(f"  explaining: {_summary(explaining)}")
    print(f"  beside a pass: {_summary(beside)}", flush=True)


def _median(seconds: Mapping[str, float]) -> float:
    return statistics.median(seconds.values())


def _summary(seconds: Mapping[str, float]) -> str:
    most = sorted(seconds, key=seconds.__getitem__)[-3:]
    return (
        f"median {_median(seconds):.2f} s, "
        f"above {ASKED_S}: {sum(each > ASKED_S for each in seconds.values())}; "
        f"most: {', '.join(f'{name} {seconds[name]:.2f}' for name in most[::-1])}"
    )


def _least(
    step: Step, path: Path, source: str, turns: int, start: Callable[..., sandbox.Worker]
) -> tuple[float, float]:
    """Seconds of processor time of one grading, and those after its report was judged."""
    wholes, explaining = [], []
    for turn in range(turns):
        path.write_text(source + "\n" * turn, encoding="utf-8")  # nothing is known of this text
        meter = Meter(start)
        judged = [0.0]
        options = Options(seed=SEED, follow=Follow.FAILING)
        grade(step, path, options, meter.start, early=_noted(meter, judged))
        wholes.append(meter.spent)
        explaining.append(meter.spent - judged[-1] if judged[-1] else 0.0)
    return min(wholes), min(explaining)


def _noted(meter: Meter, judged: list[float]) -> Callable[[object], None]:
    """What notes the time at which a report is judged."""
    return lambda _: judged.append(meter.spent)
