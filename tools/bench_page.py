"""How fast docs/working.md says all of it is: in times of importing MAX, measured beside it."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from statistics import median

from grader.base import course
from grader.base.machine import cores
from tools import bench_class, bench_desk, bench_watch, measured
from tools.measured import Impossible

IMPORT = (
    "-c",
    "import max.experimental.nn, max.experimental.tensor, max.experimental.functional",
)
GRADE = ("-m", "grader", "grade", "s05", "--file", "solutions/solution_05.py")
CHECK = ("-m", "grader", "check", "--solutions")
WRITE = ("-m", "gpt2", "--temperature", "0")
LONGEST_S = 3600.0
SPEED = re.compile(r"([\d.]+) a second")
TOKENS = 200
BESIDE = 5
"""How often MAX is imported before something is measured, and again after it.

Where a command is measured in turns, MAX is imported between them as well."""

COMMAND = "./pixiw run -e test bench"
"""What measures the whole page; with ``--keep`` it also writes the table of docs/working.md."""


@dataclass(frozen=True)
class Row:
    """Something to measure, and how long it may take.

    Attributes:
        what: What is done, in the words of docs/working.md.
        most: The limit, in times of importing MAX.
        measure: Measures it in so many turns, or saves, and yields seconds, one by one.
        command: What measures it alone.
        processor: Whether the seconds are those of all processors, here and of the import.
    """

    what: str
    most: float
    measure: Callable[[int, int], Iterable[float]]
    command: str = "./pixiw run bench"
    processor: bool = False

    def measured(self, turns: int, saves: int) -> Figure:
        """What was measured: the median, MAX being imported before each and after it.

        Raises:
            Impossible: this machine cannot do it.
        """
        beside = [_import() for _ in range(BESIDE)]
        taken = []
        for one in self.measure(turns, saves):
            taken.append(one)
            beside.append(_import())
        beside += [_import() for _ in range(BESIDE)]
        base = median(each.processor_s if self.processor else each.seconds for each in beside)
        return Figure(self.what, median(taken), base, self.most, self.command, self.processor)


@dataclass(frozen=True)
class Figure:
    """What a row took, beside what importing MAX took, both in seconds."""

    what: str
    seconds: float
    import_s: float
    most: float
    command: str = ""
    processor: bool = False

    @property
    def times(self) -> float:
        """How many times as long as importing MAX."""
        return self.seconds / self.import_s

    def __str__(self) -> str:
        verdict = "" if self.times <= self.most else "  NOT KEPT"
        kind = " of processor time" if self.processor else ""
        return (
            f"{self.what:62} {self.times:5.2f} × importing MAX, at most {self.most:g}{verdict}"
            f"  ({self.seconds:.2f} s beside {self.import_s:.2f} s{kind})"
        )


@dataclass(frozen=True)
class Cost:
    """Seconds of the clock, and of all processors."""

    seconds: float
    processor_s: float


def main(turns: int, saves: int, *, keep: bool) -> None:
    """Print the page, line by line; ``keep`` stores it, and writes it into docs/working.md."""
    figures: list[dict[str, object]] = []
    left_out: dict[str, str] = {}
    for row in ROWS:
        try:
            figure = row.measured(turns, saves)
        except Impossible as why:
            print(f"{row.what}: left out. {why}", flush=True)
            left_out[row.what] = str(why)
            continue
        print(figure, flush=True)
        figures.append(asdict(figure))
    if keep:
        told = {"turns": turns, "saves": saves, "figures": figures, "left_out": left_out}
        measured.keep({"bench": measured.circumstances(f"{COMMAND} --keep") | told})


def _graded(turns: int, _: int) -> Iterator[float]:
    return (seconds(GRADE) for _ in range(turns))


def _watched(_: int, saves: int) -> list[float]:
    return [median(bench_watch.measure(saves)[0])]


def _at_the_desk(_: int, saves: int) -> list[float]:
    right = next(iter(bench_desk.measure(2 * saves).values()))
    taken: list[float] = [one["first"][0] for one in right]
    return [median(taken) / 1000]


def _checked(turns: int, _: int) -> Iterator[float]:
    return (seconds(CHECK) for _ in range(max(1, turns // 3)))


def _handed_in(*_: int) -> list[float]:
    return [bench_class.measure(CLASS, cores()).processor_s / CLASS]


def _first_word(turns: int, _: int) -> Iterator[float]:
    return (first_word() for _ in range(max(1, turns // 3)))


def _written(turns: int, _: int) -> Iterator[float]:
    return (TOKENS / _tokens_a_second() for _ in range(max(1, turns // 3)))


CLASS = 120
ROWS = (
    Row("grade step 05, its solution", 1.2, _graded),
    Row("the same in `watch`, from the save to the report", 0.3, _watched),
    Row(
        "the same at the desk, from the save to the report in the page",
        0.35,
        _at_the_desk,
        f"{COMMAND} desk",
    ),
    Row("grade all twelve solutions", 6, _checked),
    Row(
        f"one hand-in of a class of {CLASS}, in the sandbox, in processor time",
        0.5,
        _handed_in,
        f"{COMMAND} class --count {CLASS}",
        processor=True,
    ),
    Row("the first word of the small GPT-2, where MAX has compiled nothing", 4, _first_word),
    Row(f"write {TOKENS} tokens with the small GPT-2, on NumPy", 0.4, _written),
)


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


def _import() -> Cost:
    """What importing MAX in a process of its own takes."""
    before = _processor_s()
    taken = seconds(IMPORT)
    return Cost(taken, _processor_s() - before)


def _processor_s() -> float:
    """Seconds of all processors that the processes used which this one has waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


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
    """How fast the small GPT-2 writes, by its own account.

    Raises:
        Impossible: it gave none.
    """
    command = [sys.executable, *WRITE, "--engine", "numpy", "--tokens", str(TOKENS)]
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
    if found is None:
        raise Impossible(f"gpt2 does not say how fast it was: {done.stderr.strip()}")
    return float(found[1])
