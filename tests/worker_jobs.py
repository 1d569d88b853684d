"""Short ways to put a job together and to look for what it left behind."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader import sandbox
from grader.base import course
from grader.isolation import tiers
from grader.protocol.probe import Action, Call, Job, Outcome, Probe, SeenError
from grader.sandbox import Limits

ROOT = Path(__file__).resolve().parent.parent
FILE = "steps/step_05.py"
CONFIGURATION = course.load().configuration
QUICK = Limits(wall=1.5)
TIERS = {
    "sandboxed": tiers.LAYERS,
    "confined": tuple(layer for layer in tiers.LAYERS if layer != "bubblewrap"),
    "process": ("limits",),
}
"""The layers that are wanted in each tier. One that the machine lacks makes a tier another."""
IN_EACH_TIER = [
    pytest.param(
        layers,
        id=tier,
        marks=pytest.mark.skipif(
            tiers.usable(layers) != layers, reason=f"this machine cannot make {tier} workers"
        ),
    )
    for tier, layers in TIERS.items()
]
"""Parameters of a test that runs in every tier of the machine."""
BEGUN = """
import ctypes
ctypes.CDLL(None).prctl(15, b"begun", 0, 0, 0)
"""
"""Names the process of a program, so that others know that the program runs."""


def earlier(*numbers: str) -> dict[str, tuple[str, str]]:
    """The modules of these earlier steps, as the course serves them."""
    return {
        f"solutions.solution_{number}": (
            f"solutions/solution_{number}.py",
            (ROOT / f"solutions/solution_{number}.py").read_text(encoding="utf-8"),
        )
        for number in numbers
    }


def job(source: str, *probes: Probe, engine: str = "numpy") -> Job:
    return Job(FILE, source, earlier("01", "02"), probes, engine, CONFIGURATION)


def call(function: str, *arguments: Any, **keywords: Any) -> Probe:
    """A probe named like the function that it calls, with the one result ``out``."""
    return Probe(function, (Call("out", None, function, arguments, keywords),))


def probe(name: str, *actions: Action) -> Probe:
    return Probe(name, actions)


def floats(seed: int, *shape: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def out(outcome: Outcome, name: str, action: str = "out") -> Any:
    """The result of one action of the probe ``name``."""
    observation = outcome.observations[name]
    assert observation.error is None, observation.error
    return observation.results[action]


def error(outcome: Outcome, name: str) -> SeenError:
    """The error that ended the probe ``name``."""
    found = outcome.observations[name].error
    assert found is not None, outcome.observations[name].results
    return found


class Leftovers:
    """What a worker leaves, a fresh one or a forked one: processes that began during its job.

    A forked worker has the environment of its fork server, which lives on and forks the next one
    as soon as this one is gone. So only what began in between is this worker's.
    """

    def __init__(self, running: sandbox.Running) -> None:
        running.layers()  # waits until its fork server and its walls are there
        self._began, self._ended = _ticks(), 0
        folder = Path(running.folder)
        self.mark = str(folder.parent if folder.name.isdecimal() else folder)
        close = running.close

        def closing() -> None:
            self._ended = self._ended or _ticks()
            close()

        running.close = closing  # type: ignore[method-assign]

    def processes(self) -> list[int]:
        """Those that still run, once the worker has been closed."""
        found = []
        for process in processes_with(self.mark):
            with suppress(OSError):
                stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
                if self._began <= int(stat.rpartition(")")[2].split()[19]) < self._ended:
                    found.append(process)
        return found


def _ticks() -> int:
    """The time since the machine started, in the unit in which it counts a process's start."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))


def open_files() -> int:
    """How many this process has, without those that nobody uses any more."""
    gc.collect()
    return len(list(Path("/proc/self/fd").iterdir()))


def begun(mark: str) -> list[int]:
    """The processes that have ``mark`` in their environment and run a program with ``BEGUN``."""
    found = []
    for process in processes_with(mark):
        with suppress(OSError):
            if Path(f"/proc/{process}/comm").read_text() == "begun\n":
                found.append(process)
    return found


def until(true: Callable[[], object], seconds: float = 60) -> None:
    """Wait for something; fail if it does not come."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.01)


def processes_with(mark: str) -> list[int]:
    """The processes that have ``mark`` in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                if mark.encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found
