"""Every figure that the README gives for one learner, measured here, each with its limit."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from statistics import median

from grader.base import course
from grader.base.machine import cores
from tools import bench_class, bench_desk, bench_watch, measured

IMPORT = (
    "-c",
    "import max.experimental.nn, max.experimental.tensor, max.experimental.functional",
)
GRADE = ("-m", "grader", "grade", "s05", "--file", "solutions/solution_05.py")
CHECK = ("-m", "grader", "check", "--solutions")
WRITE = ("-m", "gpt2", "--temperature", "0")
LONGEST_S = 3600.0
SPEED = re.compile(r"([\d.]+) a second")


@dataclass(frozen=True)
class Figure:
    """What was measured, and the limit that it should keep: at most, or at least.

    Attributes:
        what: What was done, in the README's words.
        value: What was measured.
        unit: Its unit.
        limit: What it should keep.
        told: The README's words for the value.
        command: What measures it alone.
        at_least: Whether the limit is a lower one.
    """

    what: str
    value: float
    unit: str
    limit: float
    told: str = ""
    command: str = "./pixiw run bench"
    at_least: bool = False

    @property
    def kept(self) -> bool:
        """Whether the limit is kept."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def __str__(self) -> str:
        word = "at least" if self.at_least else "at most"
        verdict = "" if self.kept else "  NOT KEPT"
        return (
            f"{self.what:66} {self.value:8.2f} {self.unit:10} {word} {self.limit:g}{verdict}"
            f"  ({self.told})"
        )


def main(turns: int, saves: int, *, keep: bool) -> None:
    """Print the page, line by line; ``keep`` stores it, and writes it into the README."""
    if keep and not bench_desk.possible():
        sys.exit("The README has a line about the desk: ./pixiw run -e test bench --keep")
    figures = []
    for figure in _figures(turns, saves):
        print(figure, flush=True)
        figures.append(asdict(figure))
    if keep:
        told = {"turns": turns, "saves": saves, "figures": figures}
        measured.keep({"bench": measured.circumstances("./pixiw run -e test bench") | told})


def _figures(turns: int, saves: int) -> Iterator[Figure]:
    base, grade = in_turns(turns)
    told = f"{grade:.2f} s, {grade / base:.1f} × what importing MAX alone takes ({base:.2f} s)"
    yield Figure("grade step 05, its solution", grade / base, "x", 1.4, told)
    watched = sorted(bench_watch.measure(saves)[0])
    told = f"{median(watched):.2f} s (median of {saves})"
    what = "the same in `watch`, from the save to the report"
    yield Figure(what, 1000 * median(watched), "ms", 200, told)
    yield from _desk(saves)
    checks = median([seconds(CHECK) for _ in range(3)])
    yield Figure("grade all twelve solutions", checks, "s", 3.5, f"{checks:.1f} s")
    yield _class()
    first, rate = first_word(), _tokens_a_second()
    what = "the first word of the small GPT-2, where MAX has compiled nothing"
    yield Figure(what, first, "s", 3, f"{first:.1f} s after the command")
    told, what = f"{rate:,.0f} tokens a second", "write with the small GPT-2, on NumPy"
    yield Figure(what, rate, "tokens/s", 1000, told, at_least=True)


def _desk(saves: int) -> Iterator[Figure]:
    if not bench_desk.possible():
        print("the desk: needs Chromium, and Playwright: ./pixiw run -e test bench")
        return
    [found, *_] = bench_desk.measure(2 * saves).values()
    taken = sorted(one["first"][0] for one in found)
    late = taken[int(0.95 * (len(taken) - 1))]
    told = f"{median(taken) / 1000:.2f} s (median of {saves}; 95 % below {late / 1000:.2f} s)"
    what, command = (
        "the same at the desk, from the save to the report in the page",
        "./pixiw run -e test bench desk",
    )
    yield Figure(what, median(taken), "ms", 250, told, command)


def _class() -> Figure:
    count = 120
    found = bench_class.measure(count, cores())
    rate, each = count / found.seconds, found.processor_s / count
    told = f"{rate:.1f} files a second, {each:.2f} s of processor each"
    what, command = "grade a class of 120, in the sandbox", "./pixiw run bench class --count 120"
    return Figure(what, rate, "files/s", 4, told, command, at_least=True)


def in_turns(turns: int, environment: Mapping[str, str] | None = None) -> tuple[float, float]:
    """The medians of importing MAX and of grading step 05's solution, by turns, in seconds."""
    taken = [(seconds(IMPORT, environment), seconds(GRADE, environment)) for _ in range(turns)]
    imports, grades = zip(*taken, strict=True)
    return median(imports), median(grades)


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
        timeout=LONGEST_S,
    )
    return time.perf_counter() - started


def surroundings(more: Mapping[str, str]) -> dict[str, str]:
    """The environment of this process, without telemetry."""
    return {**os.environ, "MODULAR_TELEMETRY_ENABLED": "0", **more}


def first_word() -> float:
    """Seconds from the command to the first word after the prompt, with an empty cache."""
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
            try:
                process.stdout.read(len(prompt) + 1)
                took = time.perf_counter() - started
            finally:
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
        timeout=LONGEST_S,
    )
    found = SPEED.search(done.stderr)
    return float(found[1]) if found else 0.0
