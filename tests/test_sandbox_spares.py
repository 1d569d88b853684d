"""Workers made ready ahead of time: used once, replaced, and gone when they are not needed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader import sandbox
from grader.sandbox import Limits, Running, Spares
from grader.worker import folder
from tests.worker_jobs import QUICK, ROOT, call, job, out, processes_with

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for survivors in /proc")

FILE = """
import os
seen = []
def f():
    seen.append(os.getpid())
    return seen
"""


def until(true: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.01)


@pytest.fixture(scope="module")
def spares() -> Iterator[Spares]:
    with Spares(1, limits=QUICK) as kept:
        yield kept


def take(spares: Spares) -> Running:
    """A spare that was ready."""
    until(lambda: spares.ready)
    running = spares.start(limits=QUICK)
    assert running.ready
    return running


def test_a_spare_does_one_job_and_another_takes_its_place(spares: Spares) -> None:
    workers = []
    for _ in range(2):
        with take(spares) as running:
            outcome = running.finish(job(FILE, call("f")))
            workers += out(outcome, "f")
            with pytest.raises(RuntimeError):
                running.finish(job(FILE, call("f")))
        assert processes_with(running.folder) == []
        assert not Path(running.folder).exists()
    assert len(set(workers)) == 2


def test_a_spare_is_confined_like_any_worker(spares: Spares) -> None:
    with take(spares) as spare, sandbox.start(limits=QUICK) as fresh:
        jobs = [running.finish(job("while True: pass", call("f"))) for running in (spare, fresh)]
    assert jobs[0].ended == jobs[1].ended == "timeout"
    assert jobs[0].isolation == jobs[1].isolation


def test_dead_spares_and_those_without_a_folder_are_replaced(spares: Spares) -> None:
    for harm in (_kill, lambda running: folder.remove(running.folder)):
        until(lambda: spares.ready)
        harm(spares._stock[0])
        with spares.start(limits=QUICK) as running:
            assert running.finish(job(FILE, call("f"))).ended == "done"


def _kill(running: Running) -> None:
    for process in processes_with(running.folder):
        os.kill(process, signal.SIGKILL)
    until(lambda: not running.usable)


def test_another_kind_of_worker_is_started_anew(spares: Spares) -> None:
    until(lambda: spares.ready)
    with spares.start(limits=Limits(wall=2)) as running:
        assert not running.ready
        assert spares.ready
        assert out(running.finish(job(FILE, call("f"))), "f")


def test_the_time_to_start_does_not_count_while_a_spare_waits() -> None:
    with Spares(1, limits=Limits(start=3)) as kept:
        until(lambda: kept.ready, 3)
        time.sleep(3.1)
        with kept.start(limits=Limits(start=3)) as running:
            assert running.finish(job(FILE, call("f"))).ended == "done"


def test_workers_that_cannot_start_are_not_started_without_end() -> None:
    with Spares(1, engine="abacus") as kept:
        until(lambda: kept._patience)
        time.sleep(0.2)
        assert not kept._stock
        with kept.start(engine="abacus") as running:
            outcome = running.finish(job(FILE, call("f"), engine="abacus"))
    assert outcome.ended == "machine"
    assert "abacus" in outcome.problem


def test_closing_leaves_no_process_no_folder_and_no_open_file() -> None:
    descriptors = Path("/proc/self/fd")
    before = len(list(descriptors.iterdir()))
    kept = Spares(2)
    until(lambda: len(kept._stock) == 2)
    folders = [spare.folder for spare in kept._stock]
    kept.close()
    kept.close()
    assert [processes_with(name) for name in folders] == [[], []]
    assert not any(Path(name).exists() for name in folders)
    assert len(list(descriptors.iterdir())) == before
    with pytest.raises(RuntimeError):
        kept.start()


KEEPER = """
import sys, time
sys.path.insert(0, sys.argv[1])
from grader import sandbox
spares = sandbox.Spares(1)
while not spares.ready:
    time.sleep(0.01)
with spares.start() as running:
    while not spares.ready:
        time.sleep(0.01)
    print(running.folder, spares._stock[0].folder, flush=True)
    time.sleep(100)
"""


def test_spares_end_with_their_grader_however_it_ends() -> None:
    command = [sys.executable, "-c", KEEPER, str(ROOT)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as grader:
        assert grader.stdout is not None
        folders = grader.stdout.readline().split()
        assert [bool(processes_with(name)) for name in folders] == [True, True]
        grader.kill()
    until(lambda: not any(processes_with(n) or Path(n).exists() for n in folders), 30)
