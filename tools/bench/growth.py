"""How cost grows: with the length of a text, with the tokens before one, and with the workers.

``growth`` is the exponent between two neighbours: 1 means in proportion, 2 as the square, 0 not at
all.
"""

from __future__ import annotations

import math
import time
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any

import click
import numpy as np

from grader.base.machine import cores
from tools.bench import classroom, layers
from tools.bench.processes import Impossible

LENGTHS = (1, 4, 16, 64, 256, 1024)


@click.command()
@click.option("--turns", type=click.IntRange(1), default=9, show_default=True)
@click.option("--count", type=click.IntRange(1), default=200, show_default=True)
def main(turns: int, count: int) -> None:
    """How cost grows with the text and the workers. Run nothing else meanwhile."""
    try:
        for workers in (cores(), 1):  # first: MAX changes what other processes inherit
            taken = classroom.measure(count, workers).seconds
            print(f"a class of {count} with {workers} workers: {taken:.1f} s", flush=True)
    except Impossible as why:
        print(f"a class: left out. {why}")
    _over_texts(turns)


def _over_texts(turns: int) -> None:
    """The layer on the NumPy engine reads a whole text, or one token after a cache."""
    layer = layers.course("numpy")
    _table(
        "step 07's layer reads a text of so many tokens",
        LENGTHS,
        lambda length: _cost(turns, layer, layers.values((1, length, layers.WIDTH))),
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
    from gpt2.staging import stage
    from tools.lab.model import loaded, runner

    model = loaded()
    sizes = model.config
    one = np.ones((1, sizes.n_head, 1, sizes.n_embd // sizes.n_head), np.float32)
    return runner(stage(model), "numpy"), [one] * (2 * sizes.n_layer)


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
