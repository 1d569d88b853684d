"""The life of a worker, from its start to the end of its grader."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from grader import sandbox
from grader.grading import faults
from grader.sandbox import Limits
from grader.sandbox.limits import STRANGERS
from tests.sandbox.attacks import HEAD
from tests.worker_jobs import FILE, QUICK, ROOT, call, job, open_files, out, processes_with, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for survivors in /proc")


def test_a_worker_waits_until_it_is_used() -> None:
    with sandbox.start(limits=QUICK) as running:
        while not running.ready:
            time.sleep(0.01)
        time.sleep(0.1)
        assert running.ready
        outcome = running.finish(job(HEAD, call("first")))
        with pytest.raises(RuntimeError):
            running.finish(job(HEAD, call("first")))
    assert out(outcome, "first") == "seen"
    assert not running.ready


SPENDS = (
    "import time\nwhile time.process_time() < 1: pass\ndef spent(): return time.process_time()\n"
)
NAMED = "import os\ndef process(): return os.getpid()\ndef name(): return __name__\n"


def test_a_worker_that_is_kept_does_another_job_and_is_ended_after_one_without_more() -> None:
    asked = job(NAMED, call("process"), call("name"))
    with sandbox.start() as running:
        first = running.finish(job(SPENDS, call("spent")), more=True)
        second = running.finish(replace(asked, seconds=0.5), more=True)  # of its own, not of both
        third = running.finish(asked)
        assert running.closed
        with pytest.raises(RuntimeError):
            running.finish(asked)
    assert out(first, "spent") <= first.spent
    assert second.spent < 0.5
    assert out(second, "process") == out(third, "process")
    assert out(second, "name") == Path(FILE).stem


def test_a_worker_is_not_kept_whose_program_ended_it() -> None:
    with sandbox.start(limits=QUICK) as running:
        ended = running.finish(job("import os\ndef end(): os._exit(0)\n", call("end")), more=True)
        assert ended.ended == "exit"
        assert running.closed


def test_what_a_kept_worker_says_unasked_ends_its_next_job() -> None:
    """Its program waits until it has no job, and speaks then."""
    unasked = (
        HEAD
        + """
def later():
    time.sleep(0.2)
    os.write(4, b"not a frame" * 9)
threading.Thread(target=later, daemon=True).start()
"""
    )
    with sandbox.start(limits=QUICK) as running:
        assert running.finish(job(unasked, call("first")), more=True).ended == "done"
        time.sleep(0.5)
        outcome = running.finish(job(HEAD, call("first")))
    assert outcome.ended == "garbled"
    assert not outcome.observations


def test_a_worker_that_is_not_used_is_ended_and_leaves_no_open_file() -> None:
    before = open_files()
    with sandbox.start() as running:
        until(lambda: processes_with(running.folder))  # it has one once it is executed
    assert processes_with(running.folder) == []
    assert not Path(running.folder).exists()
    assert open_files() <= before  # what an earlier test left may close meanwhile
    running.close()
    with pytest.raises(RuntimeError):
        running.finish(job(HEAD, call("first")))


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
def test_what_was_started_before_the_command_line_was_read_ends_with_it() -> None:
    """It cannot say what is wrong, and so not end, before its worker was seen."""
    reader, writer = full_pipe()
    with subprocess.Popen(
        [sys.executable, "-m", "grader", "grade", "s05", "--mistyped"], cwd=ROOT, stderr=writer
    ) as grading:
        os.close(writer)
        folder = f"/grader-{grading.pid}-"
        until(lambda: processes_with(folder))
        with os.fdopen(reader, "rb") as said:
            assert b"--mistyped" in said.read()
        assert grading.wait() == 2
    until(lambda: not processes_with(folder))


def full_pipe() -> tuple[int, int]:
    """A pipe into which nothing can be written until something is read."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with suppress(BlockingIOError):
        while True:
            os.write(writer, bytes(4096))
    os.set_blocking(writer, True)
    return reader, writer


def test_a_waiting_worker_that_died_is_the_machines_fault() -> None:
    with sandbox.start() as running:
        while not running.ready:
            time.sleep(0.01)
        for process in processes_with(running.folder):
            with suppress(ProcessLookupError):  # it ended with another
                os.kill(process, signal.SIGKILL)
        outcome = running.finish(job(HEAD, call("first")))
    assert outcome.ended == "machine"
    assert not Path(running.folder).exists()


def test_a_worker_that_takes_too_long_to_start_is_the_machines_fault() -> None:
    outcome = sandbox.run(job(HEAD, call("first")), limits=Limits(start=0.01))
    assert outcome.ended == "machine"
    assert "was not ready within" in outcome.problem


def test_an_engine_that_cannot_be_installed_is_the_machines_fault() -> None:
    outcome = sandbox.run(job(HEAD, call("first"), engine="abacus"))
    assert outcome.ended == "machine"
    assert "abacus" in outcome.problem


def test_patience_with_compiling_has_an_end() -> None:
    source = (
        HEAD
        + """
def attack():
    head = json.dumps({"Notice": ["compiling \\x1b[2J"]}).encode()
    while True:
        os.write(4, b"gw01" + len(head).to_bytes(4, "little") + bytes(8) + head)
        time.sleep(0.05)
"""
    )
    said: list[str] = []
    limits = Limits(wall=3.0, compiling=1.0)
    outcome = sandbox.run(job(source, call("attack")), limits=limits, on_notice=said.append)
    assert outcome.ended == "timeout"
    assert set(said) == {"compiling \ufffd[2J"}


ONE_NOTICE = (
    HEAD
    + """
def slow():
    head = json.dumps({"Notice": ["compiling"]}).encode()
    os.write(4, b"gw01" + len(head).to_bytes(4, "little") + bytes(8) + head)
    time.sleep(4)
"""
)


@pytest.mark.parametrize(
    ("limits", "without", "ended"),
    [
        (Limits(wall=2.0), (), "done"),
        (STRANGERS._replace(wall=2.0), (), "timeout"),
        # A program can claim that a part of the engine failed, and then that it compiles.
        (STRANGERS._replace(wall=2.0), ("staging",), "timeout"),
    ],
)
def test_who_says_that_it_compiles_is_believed_where_that_can_be(
    limits: Limits, without: tuple[str, ...], ended: str
) -> None:
    asked = replace(job(ONE_NOTICE, call("slow")), without=without)
    assert sandbox.run(asked, limits=limits).ended == ended


def test_forged_progress_gains_one_answers_time_in_all_and_no_other_run() -> None:
    calls = [replace(call("slow"), name=f"slow{number}") for number in range(9)]
    asked = job(ONE_NOTICE.replace("sleep(4)", "sleep(0.9)"), *calls)
    outcome = sandbox.run(asked, limits=Limits(wall=1.0, unexpected=1.0))
    assert (outcome.ended, outcome.announced) == ("timeout", True)
    assert len(outcome.observations) < 3
    assert faults.once_more(asked, outcome) is None
    honest = sandbox.run(job(HEAD + "def slow(): pass\n", *calls))
    assert (honest.ended, honest.announced) == ("done", False)


NAPS = "import time\ndef nap(): time.sleep(0.4)\ndef endless():\n    while True: pass\n"


def test_a_program_may_be_slow_in_all_but_not_in_one_answer() -> None:
    naps = [replace(call("nap"), name=f"nap{number}") for number in range(6)]
    passed, slow = (
        sandbox.run(job(NAPS, *naps), limits=Limits(wall=1.5, whole=whole)) for whole in (9.0, 1.0)
    )
    assert (passed.ended, passed.slow) == ("done", 0.0)
    assert (slow.ended, slow.slow) == ("timeout", 1.0)
    stuck = sandbox.run(job(NAPS, *naps[:2], call("endless")), limits=Limits(wall=1.0))
    assert (stuck.ended, stuck.slow, stuck.line, stuck.action) == ("timeout", 0.0, 4, "out")


def test_importing_the_sandbox_imports_nothing_slow() -> None:
    code = "import sys; from grader import sandbox; print(*sys.modules)"
    modules = subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True).split()
    assert "grader.sandbox" in modules
    assert {"numpy", "max", "subprocess", "dataclasses", "json"}.isdisjoint(modules)


AT_THE_START = """
import os, sys

def look(event, arguments):
    if event == "os.posix_spawn":
        print(*sys.modules, flush=True)
        os._exit(0)

sys.addaudithook(look)
sys.argv = ["grader", "grade", "s01"]
from grader.cli import main
main()
"""


def test_a_grading_starts_its_worker_before_it_imports_numpy() -> None:
    command = [sys.executable, "-c", AT_THE_START]
    modules = subprocess.check_output(command, cwd=ROOT, text=True).split()
    assert "grader.sandbox.spawn" in modules
    assert {"numpy", "max", "grader.rubric", "grader.source"}.isdisjoint(modules)


# ---- when the grader itself ends ----------------------------------------------------------

LOOPING_GRADER = """
import sys
sys.path.insert(0, sys.argv[1])
from grader import sandbox
from tests.worker_jobs import call, job
with sandbox.start() as running:
    print(running.folder, flush=True)
    while not running.ready:
        pass
    print("ready", flush=True)
    running.finish(job("while True: pass", call("f")))
"""


@pytest.fixture
def looping_grader() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A grader whose worker loops forever, and the worker's folder."""
    command = [sys.executable, "-c", LOOPING_GRADER, str(ROOT)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as grader:  # fmt: skip
        assert grader.stdout is not None
        folder = grader.stdout.readline().strip()
        grader.stdout.readline()
        try:
            yield grader, folder
        finally:
            grader.kill()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_worker_ends_with_its_grader(
    looping_grader: tuple[subprocess.Popen[str], str], number: int
) -> None:
    grader, folder = looping_grader
    assert processes_with(folder)
    grader.send_signal(number)
    grader.wait(60)
    until(lambda: not processes_with(folder) and not Path(folder).exists())
