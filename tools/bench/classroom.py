"""The grading of a class.

The submissions are right, wrong, broken and a few malicious ones, all different; those that never
end are left out, since they use up the twenty seconds allowed.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import click
import psutil

from grader.base import course
from grader.base.machine import cores
from grader.classroom import task
from tests.graded import variants
from tools.bench.processes import Impossible

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
LOOK_S = 2.0
"""Between two looks at all processes, each of which takes 0.05 s of processor time."""
MIB = 2**20


@click.command()
@click.option("--count", type=click.IntRange(1), default=1000, show_default=True)
@click.option("--workers", type=click.IntRange(1), default=cores(), show_default=True)
def main(count: int, workers: int) -> None:
    """Submissions a second, CPU time and memory. Run nothing else meanwhile."""
    found = measure(count, workers)
    print(
        f"{workers} workers: {count} in {found.seconds:.0f} s, {count / found.seconds:.2f} a "
        f"second, {found.processor_s / count:.2f} CPU seconds each; {found.verdicts}"
    )
    early = [held for done, held in found.memory.items() if 80 <= done <= 120]
    late = [held for done, held in found.memory.items() if count - 60 <= done <= count - 10]
    if early and late:
        a, b = (statistics.median(each) / MIB for each in (early, late))
        most = max(found.memory.values()) / MIB
        print(
            f"memory: {a:.0f} MiB around the 100th, {b:.0f} MiB at the end; peak {most:.0f} MiB, "
            "when a submission takes all it can"
        )


def hand_in(where: Path, step: str, count: int, rng: random.Random) -> None:
    """Write so many submissions, each for a student of its own."""
    right = variants.of(step, right=True)
    wrong = [one for one in variants.of(step, right=False) if not one.stem.startswith("endless")]
    for index in range(count):
        kind = (
            "harmful"
            if index % 50 == 49
            else rng.choice(["right"] * 9 + ["wrong"] * 9 + ["broken"])
        )
        if kind in ("right", "wrong"):
            data = rng.choice(right if kind == "right" else wrong).source
        else:
            data = rng.choice(HARM if kind == "harmful" else BROKEN).encode()
        file = where / f"student{index:04}" / f"step_{step[1:]}.py"
        file.parent.mkdir(parents=True)
        file.write_bytes(data + b"\n# %d\n" % index)


class Measured(NamedTuple):
    """What a run took: seconds, those of all processors, and bytes held at so many results.

    Those of the processors up to the last look are taken to be the same share of the time after it.
    """

    seconds: float
    processor_s: float
    memory: dict[int, int]
    verdicts: dict[str, int]


def measure(count: int, workers: int) -> Measured:
    """Grade so many submissions of step 05, the same ones for every number of workers.

    Raises:
        Impossible: this machine cannot confine a submission.
    """
    if why := task.unconfined():
        raise Impossible(why)
    with tempfile.TemporaryDirectory(prefix="bench-class-") as name:
        given, out = Path(name, "in"), Path(name, "out")
        hand_in(given, "s05", count, random.Random(0))  # noqa: S311 - which files, not secrets
        options = ["--step", "s05", "--out", str(out), "--workers", str(workers)]
        memory: dict[int, int] = {}
        started, spent, looked = time.monotonic(), 0.0, 1.0
        process = subprocess.Popen(
            [sys.executable, "-m", "grader", "class", str(given), *options],
            cwd=course.ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(LOOK_S)
                break
            held, spent = _usage(process.pid, spent)
            looked = time.monotonic() - started
            memory[sum(1 for _ in (out / "results").glob("*.json"))] = held
        seconds = time.monotonic() - started
        results = map(json.loads, map(Path.read_text, (out / "results").glob("*.json")))
        verdicts = Counter(result["verdict"] for result in results)
    return Measured(seconds, spent * seconds / looked, memory, dict(verdicts))


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
