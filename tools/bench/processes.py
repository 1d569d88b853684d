"""Processes that are timed: from start to end, or with each request that they answer.

``python -m tools.bench.processes MODULE SIDE`` is such a process: it reads one JSON request a line
and answers each with one line. ``prepare`` of the module returns what makes the side ready, and
that returns what answers a request.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click

from grader.base.course import ROOT

IMPORT = ("-c", "import max.experimental.nn, max.experimental.tensor, max.experimental.functional")
GRADE = ("-m", "grader", "grade", "s05", "--file", "solutions/solution_05.py")
LONGEST_S = 4 * 3600.0
TURNS = click.option("--turns", type=click.IntRange(1), default=10, show_default=True)
SAVES = click.option("--saves", type=click.IntRange(2), default=100, show_default=True)
KEEP = click.option("--keep", is_flag=True, help="Store the figures and write them into the pages.")

Answer = dict[str, Any]


class Impossible(click.ClickException):
    """This machine cannot measure that. It says why, and what would help."""


class DoesNotRun(Exception):
    """A side ended. What it said is on standard error."""


def surroundings(**more: str) -> dict[str, str]:
    """The environment of this process, without telemetry, and with what is given."""
    return {**os.environ, "MODULAR_TELEMETRY_ENABLED": "0", **more}


def empty(folder: str) -> dict[str, str]:
    """Variables with which a process finds nothing compiled: ``folder`` is its home."""
    return {"HOME": folder, "XDG_CACHE_HOME": f"{folder}/cache"}


@dataclass(frozen=True)
class Cost:
    """Seconds of the clock, and of all processors."""

    seconds: float
    processor_s: float


def cost(arguments: Sequence[str], **more: str) -> Cost:
    """What a command of Python takes, from start to end.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    before, started = _used(), time.perf_counter()
    run(arguments, **more)
    return Cost(time.perf_counter() - started, _used() - before)


def seconds(arguments: Sequence[str], **more: str) -> float:
    """The same, only the seconds of the clock."""
    return cost(arguments, **more).seconds


def run(arguments: Sequence[str], **more: str) -> str:
    """Run a command of Python to its end; returns what it wrote on standard error."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=surroundings(**more),
        capture_output=True,
        text=True,
        check=True,
        timeout=LONGEST_S,
    ).stderr


def _used() -> float:
    """Seconds of all processors that the processes used for which this one has waited."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@contextmanager
def started(arguments: Sequence[str], **more: str) -> Iterator[subprocess.Popen[str]]:
    """A command of Python with pipes, killed at the end."""
    with subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=surroundings(**more),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


class Side:
    """A process that answers requests. Until it is asked it is stopped, so that no thread spins."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.ready_s: float = self._answer()["ready_s"]

    def ask(self, request: Answer) -> Answer:
        """The answer to a request.

        Raises:
            DoesNotRun: it ended instead.
        """
        self._process.send_signal(signal.SIGCONT)
        assert self._process.stdin is not None  # noqa: S101 - it was started with a pipe
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> Answer:
        assert self._process.stdout is not None  # noqa: S101
        line = self._process.stdout.readline()
        if not line:
            raise DoesNotRun
        self._process.send_signal(signal.SIGSTOP)
        answer: Answer = json.loads(line)
        return answer


@contextmanager
def side(module: str, *given: str, **more: str) -> Iterator[Side]:
    """A side of ``tools.bench.MODULE``, ready to be asked."""
    with started(("-m", "tools.bench.processes", module, *given), **more) as process:
        yield Side(process)


def spread(what: str, found: Sequence[float]) -> None:
    """Print the median and the 95th percentile of seconds."""
    late = statistics.quantiles(found, n=20, method="inclusive")[-1] if found[1:] else found[0]
    median = statistics.median(found)
    print(f"{what}: median {1000 * median:.0f} ms, 95th percentile {1000 * late:.0f} ms")


def main(module: str, *given: str) -> None:
    """Be a side: answer until the input ends."""
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever else is printed is no answer
    make = importlib.import_module(f"tools.bench.{module}").prepare(*given)
    began = time.perf_counter()
    does = make()
    print(json.dumps({"ready_s": time.perf_counter() - began}), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(does(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
