"""How fast docs/working.md says all of it is: in times of importing MAX, measured beside it."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from statistics import median

from grader.base.machine import cores
from tools import measured
from tools.bench import classroom, desk, watch
from tools.bench.processes import GRADE, IMPORT, Impossible, cost, empty, run, seconds, started

CHECK = ("-m", "grader", "check", "--solutions")
WRITE = ("-m", "gpt2", "--temperature", "0")
SPEED = re.compile(r"([\d.]+) a second")
TOKENS = 200
CLASS = 120
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
        beside = [cost(IMPORT) for _ in range(BESIDE)]
        taken = []
        for one in self.measure(turns, saves):
            taken.append(one)
            beside.append(cost(IMPORT))
        beside += [cost(IMPORT) for _ in range(BESIDE)]
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


def _rarely(turns: int) -> range:
    """Fewer turns, for what takes long."""
    return range(max(1, turns // 3))


def _at_the_desk(_: int, saves: int) -> list[float]:
    right = next(iter(desk.measure(2 * saves).values()))
    return [median(one["first"][0] / 1000 for one in right)]


def _first_word(turns: int, _: int) -> Iterator[float]:
    """Seconds from the command to the first word after the prompt, with an empty cache."""
    prompt = "It is a truth"
    for _ in _rarely(turns):
        began = time.perf_counter()
        command = (*WRITE, "--prompt", prompt, "--tokens", "50")
        with tempfile.TemporaryDirectory() as folder, started(command, **empty(folder)) as gpt2:
            assert gpt2.stdout is not None  # noqa: S101 - it was started with a pipe
            gpt2.stdout.read(len(prompt) + 1)
            yield time.perf_counter() - began


def _written(turns: int, _: int) -> Iterator[float]:
    """How long the small GPT-2 writes, by its own account.

    Raises:
        Impossible: it gave none.
    """
    for _ in _rarely(turns):
        said = run((*WRITE, "--engine", "numpy", "--tokens", str(TOKENS)))
        found = SPEED.search(said)
        if found is None:
            raise Impossible(f"gpt2 does not say how fast it was: {said.strip()}")
        yield TOKENS / float(found[1])


ROWS = (
    Row(
        "grade step 05, its solution", 1.2, lambda turns, _: (seconds(GRADE) for _ in range(turns))
    ),
    Row(
        "the same in `watch`, from the save to the report",
        0.3,
        lambda _, saves: [median(watch.measure(saves))],
        f"{COMMAND} watch",
    ),
    Row(
        "the same at the desk, from the save to the report in the page",
        0.35,
        _at_the_desk,
        f"{COMMAND} desk",
    ),
    Row("grade all twelve solutions", 6, lambda turns, _: (seconds(CHECK) for _ in _rarely(turns))),
    Row(
        f"one hand-in of a class of {CLASS}, in the sandbox, in processor time",
        0.5,
        lambda *_: [classroom.measure(CLASS, cores()).processor_s / CLASS],
        f"{COMMAND} class --count {CLASS}",
        processor=True,
    ),
    Row("the first word of the small GPT-2, where MAX has compiled nothing", 4, _first_word),
    Row(f"write {TOKENS} tokens with the small GPT-2, on NumPy", 0.4, _written),
)
