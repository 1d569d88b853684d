"""Every figure that the README gives for one learner, measured here, each with its limit."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grader.base import course
from tools import bench_watch

IMPORT = (
    "-c",
    "import max.experimental.nn, max.experimental.tensor, max.experimental.functional",
)
GRADE = ("-m", "grader", "grade", "s05", "--file", "solutions/solution_05.py")
CHECK = ("-m", "grader", "check", "--solutions")
WRITE = ("-m", "gpt2", "--temperature", "0")
SPEED = re.compile(r"([\d.]+) a second")


@dataclass(frozen=True)
class Figure:
    """What was measured, and the limit that it should keep: at most, or at least."""

    what: str
    value: float
    unit: str
    limit: float
    at_least: bool = False

    @property
    def kept(self) -> bool:
        """Whether the limit is kept."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def __str__(self) -> str:
        word = "at least" if self.at_least else "at most"
        verdict = "" if self.kept else "  NOT KEPT"
        return f"{self.what:58} {self.value:8.2f} {self.unit:10} {word} {self.limit:g}{verdict}"


def main(turns: int, saves: int) -> None:
    """Print the page, line by line."""
    for figure in _figures(turns, saves):
        print(figure, flush=True)


def _figures(turns: int, saves: int) -> Iterator[Figure]:
    base, grade = in_turns(turns)
    yield Figure("grade step 05's solution, against the import of MAX", grade / base, "x", 1.4)
    watched, _ = bench_watch.measure(saves)
    yield Figure("watch: from the save to the report", 1000 * statistics.median(watched), "ms", 200)
    checks = [seconds(CHECK) for _ in range(3)]
    yield Figure("check all twelve solutions", statistics.median(checks), "s", 3.5)
    yield Figure("gpt2: the first word, where MAX has compiled nothing", first_word(), "s", 3)
    yield Figure("gpt2: writing with NumPy", _tokens_a_second(), "tokens/s", 60, at_least=True)


def in_turns(turns: int, environment: Mapping[str, str] | None = None) -> tuple[float, float]:
    """The medians of importing MAX and of grading step 05's solution, by turns, in seconds."""
    taken = [(seconds(IMPORT, environment), seconds(GRADE, environment)) for _ in range(turns)]
    imports, grades = zip(*taken, strict=True)
    return statistics.median(imports), statistics.median(grades)


def seconds(arguments: tuple[str, ...], environment: Mapping[str, str] | None = None) -> float:
    """How long a command of Python takes, from start to end.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments],
        cwd=course.ROOT,
        env=surroundings(environment or {}),
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - started


def surroundings(more: Mapping[str, str]) -> dict[str, str]:
    """The environment of this process, without telemetry."""
    return {**os.environ, "MODULAR_TELEMETRY_ENABLED": "0", **more}


def first_word() -> float:
    """Seconds from the command to the first word behind the prompt, with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        empty = {"HOME": folder, "XDG_CACHE_HOME": f"{folder}/cache"}
        prompt = "It is a truth"
        started = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, *WRITE, "--prompt", prompt, "--tokens", "50"],
            cwd=course.ROOT,
            env=surroundings(empty),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            assert process.stdout is not None  # noqa: S101 - it was started with a pipe
            process.stdout.read(len(prompt) + 1)
            took = time.perf_counter() - started
            process.kill()
    return took


def _tokens_a_second() -> float:
    command = [sys.executable, *WRITE, "--engine", "numpy", "--tokens", "200"]
    done = subprocess.run(
        command,
        cwd=course.ROOT,
        env=surroundings({}),
        capture_output=True,
        text=True,
        check=True,
    )
    found = SPEED.search(done.stderr)
    return float(found[1]) if found else 0.0
