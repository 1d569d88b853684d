"""Measures the course's GPT-2 beside Hugging Face's on PyTorch, turn by turn in one run.

Each side is a process of its own (``tools.bench_sides``) that is asked in turn, so that whatever
else the machine does meets all of them. Between its turns a side is stopped (SIGSTOP): the threads
of MAX and of PyTorch spin when they have nothing to do, and would take a core from the others. The
text that they write greedily must be the same.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from grader.base import course
from grader.learner.tasks import typed
from tools import measured
from tools.bench_layer import HEAD_SIDES, SHAPES

WRITERS = ("numpy", "max", "torch")
LAYERS = ("numpy", "max", "max-flash", "max-start", "sdpa", "gpt2attention")
HALF_LAYERS = ("max-bf16", "max-flash-bf16", "sdpa-bf16")
PEERS = ("torch", "sdpa", "sdpa-bf16", "head-torch")
"""The sides that the others are compared with."""
PARTS = ("head-read", "max-start")
"""The sides that do only a part of the task, so that their results are others."""
SUBJECTS = ("small", "124M", "layer", "head", "compile")
TOKENS = 64
LONGEST_S = 4 * 3600.0
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


def main(arguments: Sequence[str]) -> None:
    """Print the table and write the JSON."""
    parser = argparse.ArgumentParser(
        prog=typed("bench compare", "python -m tools.bench compare"), description=__doc__
    )
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument(
        "--without", nargs="*", choices=WRITERS, default=[], help="Leave out a side."
    )
    parser.add_argument("--only", nargs="+", choices=SUBJECTS, default=SUBJECTS)
    parser.add_argument("--json", type=Path, help="Also write the figures to this file.")
    parser.add_argument(
        "--keep", action="store_true", help="Store them, and bring the pages up to date."
    )
    asked = parser.parse_args(arguments)
    if importlib.util.find_spec("torch") is None:
        sys.exit(_in_parity(arguments))
    found: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(prefix="bench-compare-") as name:
        for subject in _subjects(asked.only, Path(name)):
            figures = list(_measure(subject, set(asked.without), asked.turns))
            _show(figures)
            told = {"turns": asked.turns, "figures": [asdict(each) for each in figures]}
            found[subject.name] = measured.circumstances(_command(subject.name, asked)) | told
        if "compile" in asked.only:
            command = _command("compile", asked)
            found["compile"] = measured.circumstances(command) | {"seconds": _compiling(Path(name))}
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if asked.keep:
        measured.keep(found)


def _command(subject: str, asked: argparse.Namespace) -> str:
    """What a reader types to measure the same."""
    words = ["./pixiw run bench compare --only", subject.removesuffix("-bf16")]
    words += ["--without", *asked.without] if asked.without else []
    return " ".join(words)


def _in_parity(arguments: Sequence[str]) -> int:
    """Run this in the environment that has PyTorch; returns its exit status."""
    runner = "pixi" if "PIXI_PROJECT_ROOT" in os.environ else str(course.ROOT / "pixiw")
    program = ("run", "-e", "parity", "python", "-m", "tools.bench", "compare")
    command = [runner, *program, *arguments]
    return subprocess.run(command, cwd=course.ROOT, check=False, timeout=LONGEST_S).returncode


def _subjects(names: Sequence[str], folder: Path) -> Iterator[Subject]:
    sides = "tools.bench_sides"
    if "small" in names:
        yield Subject("small", sides, (TINY,), WRITERS, _tasks(8, 128))
    if {"124M", "compile"} & set(names):
        subprocess.run([sys.executable, "-c", RANDOM, str(folder)], check=True, timeout=LONGEST_S)
    if "124M" in names:
        yield Subject("124M", sides, (str(folder),), WRITERS, _tasks(8, 32, 512))
    if "layer" in names:
        tasks = tuple(Task("×".join(map(str, shape)), {"shape": shape}) for shape in SHAPES)
        yield Subject("layer", "tools.bench_layer", (), LAYERS, tasks)
        yield Subject("layer-bf16", "tools.bench_layer", (), HALF_LAYERS, tasks, tolerance=0.1)
    if "head" in names:
        heads = tuple(f"head-{name}" for name in HEAD_SIDES)
        task = Task("1×768", {"shape": (1, 768)})
        yield Subject("head", "tools.bench_layer", (), heads, (task,), tolerance=1.0)


def _tasks(*prompts: int) -> tuple[Task, ...]:
    reads = [Task(f"prompt of {n}", {"do": "read", "length": n}) for n in prompts]
    write = Task("one token", {"do": "write", "length": 8, "count": TOKENS})
    return (*reads, write)


class _DoesNotRun(Exception):
    """A side ended. What it said is on standard error."""


class _Side:
    """A process that answers requests, and is idle until it is asked."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.ready_s: float = self._answer()["ready_s"]

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request."""
        self._process.send_signal(signal.SIGCONT)
        assert self._process.stdin is not None  # noqa: S101 - it was started with a pipe
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        try:
            return self._answer()
        except _DoesNotRun:
            sys.exit("A side ended before it answered. What it said is above.")

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None  # noqa: S101
        line = self._process.stdout.readline()
        if not line:
            raise _DoesNotRun
        self._process.send_signal(signal.SIGSTOP)
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def _started(subject: Subject, name: str, home: str | None = None) -> Iterator[_Side]:
    """A side; one with a ``home`` of its own finds nothing compiled there."""
    command = [sys.executable, "-m", subject.module, name, *subject.given]
    surroundings = {**os.environ, "MODULAR_TELEMETRY_ENABLED": "0", "HF_HUB_OFFLINE": "1"}
    if home is not None:
        surroundings |= {"HOME": home, "XDG_CACHE_HOME": f"{home}/cache"}
    with subprocess.Popen(
        command,
        cwd=course.ROOT,
        env=surroundings,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield _Side(process)
        finally:
            process.kill()


def _measure(subject: Subject, without: set[str], turns: int) -> Iterator[Figure]:
    """Each task on each side, in turn; the first turn of a task does not count."""
    names = [name for name in subject.sides if not without & {*name.split("-")}]
    with ExitStack() as stack:
        sides: dict[str, _Side] = {}
        for name in names:
            try:
                sides[name] = stack.enter_context(_started(subject, name))
            except _DoesNotRun:
                print(f"{subject.name}, {name}: does not run here, see above", flush=True)
                continue
            took = sides[name].ready_s
            print(f"{subject.name}, {name}: ready to run after {took:.1f} s", flush=True)
        names = [*sides]
        for task in subject.tasks:
            answers: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
            for _ in range(turns + 1):
                for name, side in sides.items():
                    answers[name].append(side.ask(task.request))
            right = answers[names[-1]][0]["result"]
            for name in names:
                same = name in PARTS or all(
                    _same(answer["result"], right, subject.tolerance) for answer in answers[name]
                )
                seconds = [answer["seconds"] for answer in answers[name][1:]]
                yield _figure(subject.name, task.name, name, seconds, same)


def _compiling(folder: Path) -> dict[str, float]:
    """Seconds that MAX takes to compile, beside those for a single ``Linear``."""
    subjects = {
        "one Linear": (Subject("compile", "tools.bench_layer", (), (), ()), "linear"),
        "small": (Subject("compile", "tools.bench_sides", (TINY,), (), ()), "max"),
        "124M": (Subject("compile", "tools.bench_sides", (str(folder),), (), ()), "max"),
    }
    took: dict[str, float] = {}
    for name, (subject, side) in subjects.items():
        with tempfile.TemporaryDirectory() as home, _started(subject, side, home) as started:
            took[name] = started.ready_s
        ratio = took[name] / took["one Linear"]
        print(f"compiling {name:10} {took[name]:6.1f} s {ratio:5.2f} × one Linear", flush=True)
    return took


def _same(found: list[float], right: list[float], tolerance: float) -> bool:
    """Whether two results are equal: tokens, or numbers but for rounding."""
    close = partial(math.isclose, abs_tol=tolerance)
    return len(found) == len(right) and all(map(close, found, right))


def _figure(subject: str, task: str, side: str, seconds: Sequence[float], same: bool) -> Figure:
    low, middle, high = (
        statistics.quantiles(seconds, n=4, method="inclusive")
        if len(seconds) > 1
        else [seconds[0]] * 3
    )
    return Figure(subject, task, side, middle, low, high, same)


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
