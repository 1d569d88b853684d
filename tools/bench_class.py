"""Measures the grading of a class: ``python -m tools.bench class --count 1000``.

The submissions are right, wrong, broken and a few malicious ones, all different; those that never
end are left out, since they use up the twenty seconds allowed. It prints submissions a second, the
memory of all processes together from the 100th to the last, and whether one worker, and a run that
was killed at random points and resumed, give the same bytes as several workers. Run nothing else
meanwhile.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psutil

from grader.base import course
from grader.base.machine import cores
from grader.classroom import work
from grader.learner.tasks import typed
from tests.graded import variants
from tools.measured import Impossible

BROKEN = ("def (", "class X:\n", "x = 1 +\n", "import nothing_like_this\n", "", "\tif:\n", "\0")
HARM = (
    "import os\nos._exit(0)\n",
    'import sys\nprint(\'{"verdict": "pass"}\')\nsys.exit(0)\n',
    "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n",
    "import os\nos.kill(os.getpid(), 9)\n",
    "import socket\nsocket.create_connection(('192.0.2.1', 80), 1)\n",
    "import os\nwhile True:\n    if os.fork() == 0:\n        pass\n",
    "import os\nopen(os.path.expanduser('~/x'), 'w').write('x' * 10**9)\n",
    "print(open('/etc/passwd').read())\n",
    "print('x' * 10**7)\n",
    "x = []\nwhile True:\n    x.append(bytearray(10**8))\n",
)
NAMES = ("gradebook.csv", "class.html")
LOOK_S = 2.0
"""Between two looks at all processes, each of which takes 0.05 s of processor time."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(
        prog=typed("bench class", "python -m tools.bench class"), description=__doc__
    )
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--step", type=variants.step, default="s05")
    parser.add_argument("--workers", type=int, default=cores())
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    rng = random.Random(asked.seed)  # noqa: S311 - which files, not which secrets
    with tempfile.TemporaryDirectory(prefix="bench-class-") as name:
        folder = Path(name)
        kinds = hand_in(folder / "in", asked.step, asked.count, rng)
        print(", ".join(f"{count} {kind}" for kind, count in kinds.items()))
        many = Run(folder, "many", asked.step, asked.workers)
        many.describe(many.measure(), asked.count)
        one = Run(folder, "one", asked.step, 1, like=many)
        one.start().wait()
        print(f"1 worker returns the same bytes as {asked.workers}: {_same(many.out, one.out)}")
        if asked.kills:
            killed = Run(folder, "killed", asked.step, asked.workers, like=many)
            when = killed.kill(asked.count, asked.kills, rng)
            print(
                f"killed at {when} of {asked.count}: the same bytes: {_same(many.out, killed.out)}"
            )


def hand_in(where: Path, step: str, count: int, rng: random.Random) -> Counter[str]:
    """Write so many submissions, each for a student of its own; returns how many of each kind."""
    right = variants.of(step, right=True)
    wrong = [one for one in variants.of(step, right=False) if not one.stem.startswith("endless")]
    kinds: Counter[str] = Counter()
    for index in range(count):
        kind = (
            "harmful"
            if index % 50 == 49
            else rng.choice(["right"] * 9 + ["wrong"] * 9 + ["broken"])
        )
        kinds[kind] += 1
        if kind in ("right", "wrong"):
            data = rng.choice(right if kind == "right" else wrong).source
        else:
            data = rng.choice(HARM if kind == "harmful" else BROKEN).encode()
        file = where / f"student{index:04}" / f"step_{step[1:]}.py"
        file.parent.mkdir(parents=True)
        file.write_bytes(data + b"\n# %d\n" % index)
    return kinds


class Measured(NamedTuple):
    """What a run took: seconds, those of all processors, and bytes held at so many results.

    Those of the processors up to the last look are taken to be the same share of the time after it.
    """

    seconds: float
    processor_s: float
    memory: dict[int, int]


class Run:
    """One run of the command; one that is ``like`` another has its key."""

    def __init__(
        self, folder: Path, name: str, step: str, workers: int, like: Run | None = None
    ) -> None:
        self.out = folder / name
        if like is not None:
            (self.out / "results").mkdir(parents=True)
            shutil.copy(like.out / "results" / "key", self.out / "results" / "key")
        given = [str(folder / "in"), "--step", step, "--out", str(self.out)]
        self._command = [sys.executable, "-m", "grader", "class", *given]
        self._command += ["--workers", str(workers)]
        self._workers = workers

    def start(self) -> subprocess.Popen[bytes]:
        """Start it, or resume it."""
        quiet = subprocess.DEVNULL
        return subprocess.Popen(self._command, cwd=course.ROOT, stdout=quiet, stderr=quiet)

    def done(self) -> int:
        """How many results there are."""
        return sum(1 for _ in self._results())

    def _results(self) -> Iterator[Path]:
        return (self.out / "results").glob("*.json")

    def measure(self) -> Measured:
        """Run it to its end.

        Raises:
            Impossible: this machine cannot confine a submission.
        """
        if why := work.unconfined():
            raise Impossible(why)
        memory: dict[int, int] = {}
        started, spent, looked = time.monotonic(), 0.0, 1.0
        process = self.start()
        while True:
            with suppress(subprocess.TimeoutExpired):
                process.wait(LOOK_S)
                seconds = time.monotonic() - started
                return Measured(seconds, spent * seconds / looked, memory)
            held, spent = _usage(process.pid, spent)
            looked = time.monotonic() - started
            memory[self.done()] = held

    def describe(self, measured: Measured, count: int) -> None:
        """Print its speed and its use of memory."""
        results = [json.loads(path.read_text()) for path in self._results()]
        tiers = Counter(result["isolation"] for result in results)
        late = sum(result["verdict"] == "timeout" for result in results)
        print(
            f"{self._workers} workers: {count} in {measured.seconds:.0f} s, "
            f"{count / measured.seconds:.2f} a second, {measured.processor_s / count:.2f} CPU "
            f"seconds each; {late} ran out of time; {dict(tiers)}"
        )
        memory = measured.memory
        early = [held for done, held in memory.items() if 80 <= done <= 120]
        at_end = [held for done, held in memory.items() if count - 60 <= done <= count - 10]
        if early and at_end and all(early):
            a, b = (statistics.median(each) / 2**20 for each in (early, at_end))
            most = max(memory.values()) / 2**20
            print(
                f"memory: {a:.0f} MiB around the 100th, {b:.0f} MiB at the end, {b / a:.2f} times; "
                f"peak {most:.0f} MiB, when a submission takes all it can"
            )

    def kill(self, count: int, kills: int, rng: random.Random) -> list[int]:
        """Kill it at random points, and let the last run finish; returns the points."""
        points = sorted(rng.randrange(1, count) for _ in range(kills))
        for point in points:
            process = self.start()
            while self.done() < point and process.poll() is None:
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.start().wait()
        return points


def measure(count: int, workers: int) -> Measured:
    """Grade so many submissions of step 05, the same ones for every number of workers.

    Raises:
        Impossible: this machine cannot confine a submission.
    """
    with tempfile.TemporaryDirectory(prefix="bench-class-") as name:
        folder = Path(name)
        hand_in(folder / "in", "s05", count, random.Random(0))  # noqa: S311 - which files
        return Run(folder, "out", "s05", workers).measure()


def _usage(process: int, before: float) -> tuple[int, float]:
    """Private bytes of a process and its descendants, and the CPU time they used."""
    held, spent = 0, 0.0
    try:
        lead = psutil.Process(process)
        for each in [lead, *lead.children(recursive=True)]:
            try:
                held += each.memory_full_info().pss
                times = each.cpu_times()
                spent += times.user + times.system + times.children_user + times.children_system
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
    except psutil.NoSuchProcess:
        return 0, before
    return held, max(before, spent)


def _same(one: Path, other: Path) -> bool:
    """Whether two runs wrote the same bytes; else prints the first lines that differ."""
    if all(filecmp.cmp(one / name, other / name, shallow=False) for name in NAMES):
        return True
    lines = [(each / NAMES[0]).read_text(encoding="utf-8").splitlines() for each in (one, other)]
    for left, right in [pair for pair in zip(*lines, strict=False) if len(set(pair)) > 1][:5]:
        print(f"  {left}\n  {right}")
    return False


if __name__ == "__main__":
    main()
