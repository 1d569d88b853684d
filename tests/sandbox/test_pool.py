"""Workers made ready ahead of time: used once, replaced, and gone when they are not needed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from grader import sandbox
from grader.sandbox import Limits, Running, WorkerPool
from tests.worker_jobs import (
    BEGUN,
    IN_EACH_TIER,
    QUICK,
    ROOT,
    Leftovers,
    begun,
    call,
    job,
    open_files,
    out,
    processes_with,
    until,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for survivors in /proc")

FILE = """
import os, random
import numpy as np
seen = []
def f():
    seen.append(1)
    return seen
def g():
    found = os.listdir()
    open("mine", "w").close()
    return [found, os.environ["HOME"] == os.getcwd(), random.random(), float(np.random.rand())]
"""


FRESH = pytest.param(False, marks=pytest.mark.whole, id="fresh")


@pytest.fixture(scope="module", params=[pytest.param(True, id="forked"), FRESH])
def pool(request: pytest.FixtureRequest) -> Iterator[WorkerPool]:
    with WorkerPool(1, limits=QUICK, forked=request.param) as kept:
        yield kept


def take(pool: WorkerPool) -> Running:
    """A worker that was ready."""
    until(lambda: pool.ready)
    running = pool.start(limits=QUICK)
    assert running.ready
    return running


def marks(pool: WorkerPool) -> list[str]:
    """What the processes of this pool have in their environment."""
    held = pool._fork_servers or pool._stock
    return [one.folder for one in held]


def test_a_pooled_worker_does_one_job_and_another_takes_its_place(pool: WorkerPool) -> None:
    seen = []
    for _ in range(2):
        with take(pool) as running:
            leftovers = Leftovers(running)
            outcome = running.finish(job(FILE, call("f"), call("g")))
            assert out(outcome, "f") == [1]
            seen.append(out(outcome, "g"))
            with pytest.raises(RuntimeError):
                running.finish(job(FILE, call("f")))
        assert leftovers.processes() == []
        assert not Path(running.folder).exists()
    for left, at_home, *_ in seen:
        assert left == []  # nothing of the first is in the second's folder
        assert at_home
    assert seen[0] == seen[1]  # the numbers drawn too: it was the same job


@pytest.mark.parametrize("layers", IN_EACH_TIER)
def test_a_pool_is_stocked_in_every_tier(layers: tuple[str, ...]) -> None:
    with WorkerPool(1, limits=QUICK, layers=layers) as kept:
        for _ in range(2):
            until(lambda: kept.ready, 20)
            with kept.start(limits=QUICK, layers=layers) as running:
                assert running.ready
                assert out(running.finish(job(FILE, call("f"))), "f") == [1]


def test_what_a_worker_left_would_be_seen(pool: WorkerPool) -> None:
    with take(pool) as running:
        leftovers = Leftovers(running)
        with subprocess.Popen(["sleep", "100"], env={"HOME": leftovers.mark}) as left:
            time.sleep(2 / os.sysconf("SC_CLK_TCK"))  # so the worker's end has a later tick
            running.finish(job(FILE, call("f")))
            assert leftovers.processes() == [left.pid]
            left.kill()


UNSTEADY = """
import os, random
def f():
    names = {"weight", "bias", "gamma", "beta", "scale"}
    print(object(), os.getcwd())
    raise ValueError(os.path.abspath("x"), object(), names, random.random())
"""


def test_a_file_is_told_of_in_the_same_words_again(pool: WorkerPool) -> None:
    told = []
    for source in (UNSTEADY, UNSTEADY, f"{UNSTEADY}# other"):
        with take(pool) as running:
            outcome = running.finish(job(source, call("f")))
        told.append((outcome.observations["f"].error, outcome.output))
    error, output = told[0]
    assert told[1] == (error, output)
    assert error is not None
    assert error.message.startswith("('~/x', <object object>, {")
    assert set(output.splitlines()) == {"<object object> ~"}
    assert told[2][0] != error  # another file draws other numbers


def test_a_pooled_worker_is_confined_like_any_other(pool: WorkerPool) -> None:
    with take(pool) as pooled, sandbox.start(limits=QUICK) as fresh:
        jobs = [
            running.finish(job("import time; time.sleep(100)", call("f")))
            for running in (pooled, fresh)
        ]
    assert jobs[0].ended == jobs[1].ended == "timeout"
    assert jobs[0].isolation == jobs[1].isolation


def test_workers_of_one_import_work_at_once_and_end_alone(pool: WorkerPool) -> None:
    until(lambda: pool.ready)  # it opens no file any more
    before = open_files()
    servers = sandbox.fork_servers(2)
    with WorkerPool(2, limits=QUICK, fork_servers=servers) as kept:
        folder = servers[0].folder
        first, second = kept.start(limits=QUICK), kept.start(limits=QUICK)
        assert {Path(one.folder).parent for one in (first, second)} == {Path(folder)}
        with second:
            with first:
                leftovers = Leftovers(first)
                assert out(first.finish(job(FILE, call("f"), call("g"))), "f") == [1]
            assert leftovers.processes() == []
            assert not Path(first.folder).exists()
            with kept.start(limits=QUICK) as third:
                outcomes = [one.finish(job(FILE, call("g"))) for one in (third, second)]
        assert [out(outcome, "g")[:2] for outcome in outcomes] == [[[], True]] * 2
    until(lambda: not processes_with(folder))
    assert not Path(folder).exists()
    assert open_files() <= before  # what an earlier test left may close meanwhile


def test_dead_workers_are_replaced(pool: WorkerPool) -> None:
    until(lambda: pool.ready)
    (mark,), (waiting,) = marks(pool), pool._stock
    for process in processes_with(mark):
        with suppress(ProcessLookupError):  # it ended with another
            os.kill(process, signal.SIGKILL)
    until(lambda: not waiting.usable)
    with pool.start(limits=QUICK) as running:
        outcome = running.finish(job(FILE, call("f")))
        assert outcome.ended == "done", outcome.problem


def test_a_worker_without_a_folder_is_replaced() -> None:
    with WorkerPool(1, layers=("limits",), forked=False) as kept:
        until(lambda: kept.ready)
        Path(kept._stock[0].folder).rmdir()
        with kept.start(layers=("limits",)) as running:
            assert running.finish(job(FILE, call("g"))).ended == "done"


def test_another_kind_of_worker_is_started_anew(pool: WorkerPool) -> None:
    until(lambda: pool.ready)
    with pool.start(limits=Limits(wall=2)) as running:
        assert not running.ready
        assert pool.ready
        assert out(running.finish(job(FILE, call("f"))), "f")


def test_more_workers_than_the_pool_keeps_can_be_had_at_once(pool: WorkerPool) -> None:
    taken = [pool.start(limits=QUICK) for _ in range(3)]
    for running in taken:
        assert out(running.finish(job(FILE, call("f"))), "f") == [1]


def test_the_time_to_start_does_not_count_while_a_worker_waits(pool: WorkerPool) -> None:
    with take(pool) as running:
        running._deadline = 0.0  # as if it had waited for hours
        outcome = running.finish(job(FILE, call("f")))
        assert outcome.ended == "done", outcome.problem


def test_workers_that_cannot_start_are_not_started_without_end() -> None:
    with WorkerPool(1, engine="abacus") as kept:
        until(lambda: kept._patience)
        time.sleep(0.2)
        assert not kept._stock
        with kept.start(engine="abacus") as running:
            outcome = running.finish(job(FILE, call("f"), engine="abacus"))
    assert outcome.ended == "machine"
    assert "abacus" in outcome.problem


def test_a_pool_is_closed_while_another_thread_waits_for_its_worker() -> None:
    program = f"{BEGUN}\ndef f():\n    while True:\n        pass\n"
    with WorkerPool(1, limits=Limits(wall=60)) as kept, ThreadPoolExecutor() as threads:
        running = kept.start(limits=Limits(wall=60))
        working = threads.submit(running.finish, job(program, call("f")))
        until(lambda: begun(str(Path(running.folder).parent)))
        kept.close()
        assert working.result().problem == "the grading was cancelled"


@pytest.mark.parametrize("forked", [True, False])
def test_closing_leaves_no_process_no_folder_and_no_open_file(
    pool: WorkerPool, forked: bool
) -> None:
    until(lambda: pool.ready)  # it opens no file any more
    before = open_files()
    kept = WorkerPool(2, forked=forked)
    until(lambda: len(kept._stock) == 2)
    folders = marks(kept)
    until(lambda: all(processes_with(name) for name in folders))
    kept.close()
    kept.close()
    until(lambda: not any(processes_with(name) for name in folders))
    assert not any(Path(name).exists() for name in folders)
    assert open_files() <= before  # what an earlier test left may close meanwhile
    with pytest.raises(RuntimeError):
        kept.start()


KEEPER = """
import sys, time
sys.path.insert(0, sys.argv[1])
from grader import sandbox
from tests.sandbox.test_pool import marks
pool = sandbox.WorkerPool(2, forked=bool(int(sys.argv[2])))
while pool.ready < 2:
    time.sleep(0.01)
with pool.start() as running:
    print(running.folder, *marks(pool), flush=True)
    time.sleep(100)
"""


@pytest.mark.parametrize("forked", [1, 0])
def test_pools_end_with_their_grader_however_it_ends(forked: int) -> None:
    command = [sys.executable, "-c", KEEPER, str(ROOT), str(forked)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as grader:
        assert grader.stdout is not None
        folders = grader.stdout.readline().split()
        assert any(processes_with(name) for name in folders)
        grader.kill()
    until(lambda: not any(processes_with(n) or Path(n).exists() for n in folders))
