"""The course's GPT-2 beside Hugging Face's on PyTorch, turn by turn in one run.

Each side is a process of its own that is asked in turn, so that whatever else the machine does
meets all of them, and that is stopped between its turns: the threads of MAX and of PyTorch spin
when they have nothing to do, and would take a core from the others. The text that they write
greedily must be the same.
"""

from __future__ import annotations

import importlib.util
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from grader.base import course
from tools import measured
from tools.bench.heads import HEAD_SIDES
from tools.bench.layers import SHAPES
from tools.bench.processes import KEEP, LONGEST_S, Answer, DoesNotRun, Side, empty, side

WRITERS = ("numpy", "max", "torch")
LAYERS = ("numpy", "max", "max-flash", "max-start", "sdpa", "gpt2attention")
HALF_LAYERS = ("max-bf16", "max-flash-bf16", "sdpa-bf16")
PEERS = ("torch", "sdpa", "sdpa-bf16", "head-torch")
"""The sides that the others are compared with."""
PARTS = ("head-read", "max-start")
"""The sides that do only a part of the task, so that their results are others."""
SUBJECTS = ("small", "124M", "layer", "head", "compile")
TOKENS = 64
"""Tokens written in one turn."""

TINY = str(course.ROOT / "gpt2" / "tiny")
RANDOM = (
    "import sys, torch, transformers\n"
    "torch.manual_seed(0)\n"
    "model = transformers.GPT2LMHeadModel(transformers.GPT2Config())\n"
    "model.save_pretrained(sys.argv[1])\n"
)
"""Saves a GPT-2 of the usual size, with random weights."""


@dataclass(frozen=True)
class Task:
    """What every side does in a turn."""

    name: str
    request: dict[str, Any]


@dataclass(frozen=True)
class Subject:
    """What is measured: the module that starts a side, its further arguments, and the tasks."""

    name: str
    module: str
    given: tuple[str, ...]
    sides: tuple[str, ...]
    tasks: tuple[Task, ...]
    tolerance: float = 1e-3


@dataclass(frozen=True)
class Figure:
    """The seconds of one task on one side: median, and the middle half of the turns."""

    subject: str
    task: str
    side: str
    median_s: float
    low_s: float
    high_s: float
    same_result: bool


@click.command()
@click.option("--turns", type=click.IntRange(1), default=7, show_default=True)
@click.option("--only", type=click.Choice(SUBJECTS), multiple=True, default=SUBJECTS)
@click.option("--without", type=click.Choice(WRITERS), multiple=True, help="Leave out a side.")
@KEEP
def main(turns: int, only: Sequence[str], without: Sequence[str], *, keep: bool) -> None:
    """The course's GPT-2 beside Hugging Face's on PyTorch, in the environment `parity`."""
    if importlib.util.find_spec("torch") is None:
        sys.exit(_in_parity())
    found: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(prefix="bench-compare-") as name:
        for subject in _subjects(only, Path(name)):
            figures = list(measure(subject, set(without), turns))
            _show(figures)
            found[subject.name] = {"turns": turns, "figures": [asdict(each) for each in figures]}
        if "compile" in only:
            found["compile"] = {"seconds": _compiling(name)}
    if keep:
        measured.keep(
            {
                name: measured.circumstances(_command(name, without)) | told
                for name, told in found.items()
            }
        )


def _command(subject: str, without: Sequence[str]) -> str:
    """What a reader types to measure the same."""
    words = ["./pixiw run bench compare --only", subject.removesuffix("-bf16")]
    return " ".join([*words, *(f"--without {side}" for side in without)])


def _in_parity() -> int:
    """Run this in the environment that has PyTorch; returns its exit status."""
    runner = "pixi" if "PIXI_PROJECT_ROOT" in os.environ else str(course.ROOT / "pixiw")
    command = [runner, "run", "-e", "parity", "python", "-m", "tools.bench", *sys.argv[1:]]
    return subprocess.run(command, cwd=course.ROOT, check=False, timeout=LONGEST_S).returncode


def _subjects(names: Sequence[str], folder: Path) -> Iterator[Subject]:
    if "small" in names:
        yield Subject("small", "models", (TINY,), WRITERS, _tasks(8, 128))
    if {"124M", "compile"} & set(names):
        subprocess.run([sys.executable, "-c", RANDOM, str(folder)], check=True, timeout=LONGEST_S)
    if "124M" in names:
        yield Subject("124M", "models", (str(folder),), WRITERS, _tasks(8, 32, 512))
    if "layer" in names:
        tasks = tuple(Task("×".join(map(str, shape)), {"shape": shape}) for shape in SHAPES)
        yield Subject("layer", "layers", (), LAYERS, tasks)
        yield Subject("layer-bf16", "layers", (), HALF_LAYERS, tasks, tolerance=0.1)
    if "head" in names:
        heads = tuple(f"head-{name}" for name in HEAD_SIDES)
        task = Task("1×768", {"shape": (1, 768)})
        yield Subject("head", "layers", (), heads, (task,), tolerance=1.0)


def _tasks(*prompts: int) -> tuple[Task, ...]:
    reads = [Task(f"prompt of {n}", {"do": "read", "length": n}) for n in prompts]
    write = Task("one token", {"do": "write", "length": 8, "count": TOKENS})
    return (*reads, write)


def measure(subject: Subject, without: set[str], turns: int) -> Iterator[Figure]:
    """Each task on each side, in turn; the first turn of a task does not count."""
    with ExitStack() as stack:
        sides: dict[str, Side] = {}
        for name in subject.sides:
            if without & {*name.split("-")}:
                continue
            try:
                started = side(subject.module, name, *subject.given, HF_HUB_OFFLINE="1")
                sides[name] = stack.enter_context(started)
            except DoesNotRun:
                print(f"{subject.name}, {name}: does not run here, see above", flush=True)
                continue
            took = sides[name].ready_s
            print(f"{subject.name}, {name}: ready to run after {took:.1f} s", flush=True)
        for task in subject.tasks:
            answers: dict[str, list[Answer]] = {name: [] for name in sides}
            for _ in range(turns + 1):
                for name, one in sides.items():
                    answers[name].append(one.ask(task.request))
            right = [*answers.values()][-1][0]["result"]
            for name, given in answers.items():
                same = name in PARTS or all(
                    _same(answer["result"], right, subject.tolerance) for answer in given
                )
                seconds = [answer["seconds"] for answer in given[1:]]
                low, middle, high = statistics.quantiles(seconds * 2, n=4, method="inclusive")
                yield Figure(subject.name, task.name, name, middle, low, high, same)


def _compiling(folder: str) -> dict[str, float]:
    """Seconds that MAX takes to compile, beside those for a single ``Linear``."""
    subjects = {
        "one Linear": ("layers", "linear"),
        "small": ("models", "max", TINY),
        "124M": ("models", "max", folder),
    }
    took: dict[str, float] = {}
    for name, given in subjects.items():
        with tempfile.TemporaryDirectory() as home, side(*given, **empty(home)) as started:
            took[name] = started.ready_s
        ratio = took[name] / took["one Linear"]
        print(f"compiling {name:10} {took[name]:6.1f} s {ratio:5.2f} × one Linear", flush=True)
    return took


def _same(found: list[float], right: list[float], tolerance: float) -> bool:
    """Whether two results are equal: tokens, or numbers but for rounding."""
    close = partial(math.isclose, abs_tol=tolerance)
    return len(found) == len(right) and all(map(close, found, right))


def _show(figures: Sequence[Figure]) -> None:
    """The table: milliseconds, and how many times faster than PyTorch."""
    peers = {(each.subject, each.task): each.median_s for each in figures if each.side in PEERS}
    print(
        f"{'':6} {'':14} {'side':15} {'median':>10} {'middle half':>19} {'a second':>9} × PyTorch"
    )
    for each in figures:
        peer = peers.get((each.subject, each.task))
        ratio = f"{peer / each.median_s:9.2f}" if peer else ""
        spread = f"{1000 * each.low_s:.2f} to {1000 * each.high_s:.2f}"
        print(
            f"{each.subject:6} {each.task:14} {each.side:15} {1000 * each.median_s:7.2f} ms "
            f"{spread:>19} {1 / each.median_s:9.1f} {ratio}"
            + ("" if each.same_result else "  ANOTHER RESULT")
        )
