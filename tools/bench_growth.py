"""Measures how cost grows: ``python -m tools.bench growth``. Run nothing else meanwhile.

A class over the number of its submissions and of its workers; step 07's layer over the length
of a text; and one token after so many others. ``growth`` is the exponent between two neighbours:
1 means in proportion, 2 as the square, 0 not at all.
"""

from __future__ import annotations

import argparse
import math
import time
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from grader.base.machine import cores
from grader.learner.tasks import typed
from tools import bench_class, bench_layer
from tools.measured import Impossible

LENGTHS = (1, 4, 16, 64, 256, 1024)
BEYOND = (1_000, 10_000)
"""Submissions whose cost is computed from the line through those that were measured."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        prog=typed("bench growth", "python -m tools.bench growth"), description=__doc__
    )
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--counts", type=int, nargs="+", default=[50, 100, 200])
    asked = parser.parse_args(arguments)
    try:
        _over_submissions(asked.counts)  # first: MAX changes what other processes inherit
    except Impossible as why:
        print(f"a class: left out. {why}")
    _over_texts(asked.turns)


def _over_texts(turns: int) -> None:
    """The layer on the NumPy engine reads a whole text, or one token after a cache."""
    layer = bench_layer.course("numpy")
    _table(
        "step 07's layer reads a text of so many tokens",
        LENGTHS,
        lambda length: _cost(turns, layer, bench_layer.values((1, length, bench_layer.WIDTH))),
    )
    decode, empty = _decode()
    ids = np.zeros((1, 1), np.int64)
    _table(
        "the small GPT-2 reads one token after so many others",
        (1, 4, 16, 64, 255),
        lambda past: _cost(turns, decode, ids, *(np.repeat(each, past, 2) for each in empty)),
    )


def _decode() -> tuple[Callable[..., Any], list[Any]]:
    """``decode`` of the small GPT-2 on NumPy, and a cache of one token for it."""
    from gpt2.checkpoint import read_checkpoint
    from gpt2.course import CourseSteps
    from gpt2.staging import stage
    from grader.base import course
    from grader.frameworks.max.engine.replay import Replay

    model = CourseSteps(mine=False).build(*read_checkpoint(course.ROOT / "gpt2" / "tiny"))
    staged = stage(model)
    sizes = model.config
    one = np.ones((1, sizes.n_head, 1, sizes.n_embd // sizes.n_head), np.float32)
    return Replay(staged.whole, staged.arrays()), [one] * (2 * sizes.n_layer)


def _cost(turns: int, run: Callable[..., Any], *given: Any) -> tuple[float, float]:
    """The least seconds of a call, and its peak of memory in MiB."""
    run(*given)
    seconds = math.inf
    for _ in range(turns):
        started = time.perf_counter()
        run(*given)
        seconds = min(seconds, time.perf_counter() - started)
    tracemalloc.start()
    run(*given)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return seconds, peak


def _table(title: str, sizes: Sequence[int], cost: Callable[[int], tuple[float, float]]) -> None:
    print(f"\n{title}\n{'':>8} {'time':>11} {'growth':>7} {'memory':>11} {'growth':>7}")
    before: tuple[int, float, float] | None = None
    for size in sizes:
        seconds, peak = cost(size)
        growth = ("", "")
        if before is not None:
            wider = math.log(size / before[0])
            growth = (
                f"{math.log(seconds / before[1]) / wider:.2f}",
                f"{math.log(peak / before[2]) / wider:.2f}",
            )
        print(
            f"{size:8} {1000 * seconds:8.3f} ms {growth[0]:>7} {peak:7.2f} MiB {growth[1]:>7}",
            flush=True,
        )
        before = (size, seconds, peak)


def _over_submissions(counts: Sequence[int]) -> None:
    """A class of each size with every worker, and the largest with one."""
    measured = {count: bench_class.measure(count, cores()) for count in counts}
    print(f"a class with {cores()} workers\n{'':>8} {'time':>9} {'a second':>9} {'memory':>9}")
    for count, each in measured.items():
        print(
            f"{count:8} {each.seconds:7.1f} s {count / each.seconds:9.2f} "
            f"{max(each.memory.values()) / 2**20:5.0f} MiB"
        )
    slope, start = np.polyfit(counts, [each.seconds for each in measured.values()], 1)
    for count in BEYOND:
        seconds = start + slope * count
        print(f"{count:8} {seconds:7.0f} s {count / seconds:9.2f}  computed from the line")
    most = max(counts)
    alone = bench_class.measure(most, 1)
    gain = alone.seconds / measured[most].seconds
    print(f"\n{most} with 1 worker: {alone.seconds:.1f} s; {cores()} are {gain:.2f} × as fast")
    if cores() > 1:
        serial = (cores() / gain - 1) / (cores() - 1)
        print(f"share that is not parallel (Amdahl): {100 * max(0.0, serial):.0f} %")


if __name__ == "__main__":
    main()
