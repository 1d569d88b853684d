"""A machine with other things to do: nobody's program fails for that."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader import sandbox
from grader.base import course
from grader.base.model import Report, Verdict
from grader.classroom import reports, session, store
from grader.classroom.collect import Answer, Collected
from grader.classroom.planning import Plan, Request
from grader.classroom.task import Task
from grader.grading import faults
from grader.pipeline import grade
from grader.sandbox import Limits, exit_status
from tests.worker_jobs import BEGUN, begun

STEP = course.find("s05")
SOLUTION = STEP.solution.read_text(encoding="utf-8")
SHORT = Limits(wall=10.0)
WORK = """
import time
time.sleep(2)
while time.process_time() < {seconds}:
    pass
"""

SPIN = """
import os
os.sched_setaffinity(0, {{{processor}}})
while os.getppid() == {parent}:
    pass
"""


class Starving:
    """Starts workers; each gets what a processor has left beside programs that never rest."""

    def __init__(self, pool: sandbox.WorkerPool, processor: int) -> None:
        self.started = 0
        self._pool = pool
        self._cpu = processor

    def __call__(self, **chosen: Any) -> sandbox.Running:
        self.started += 1
        running = self._pool.start(limits=SHORT, **chosen)
        threading.Thread(target=self._starve, args=[running], daemon=True).start()
        return running

    def _starve(self, running: sandbox.Running) -> None:
        server = str(Path(running.folder).parent)  # whose environment a forked worker has
        while not (found := begun(server)):
            time.sleep(0.01)
        for process in found:
            os.sched_setaffinity(process, {self._cpu})
            os.setpriority(os.PRIO_PROCESS, process, 19)


@pytest.fixture
def busy() -> Iterator[int]:
    """A processor on which others work all the time, in a session each, as Linux shares it."""
    processor = min(os.sched_getaffinity(0))
    with ExitStack() as stack:
        for _ in range(7):
            command = [sys.executable, "-c", SPIN.format(processor=processor, parent=os.getpid())]
            other = stack.enter_context(subprocess.Popen(command, start_new_session=True))
            stack.callback(other.kill)
        yield processor


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts who waits for a processor")
@pytest.mark.any_python
@pytest.mark.whole
def test_a_program_that_had_no_processor_has_not_failed(tmp_path: Path, busy: int) -> None:
    path = tmp_path / "step_05.py"
    begin = f"import math\n{BEGUN}{WORK.format(seconds=3)}"
    path.write_text(SOLUTION.replace("import math\n", begin, 1), encoding="utf-8")
    with sandbox.WorkerPool(1, warm=False, limits=SHORT) as pool:
        starving = Starving(pool, busy)
        report = grade(STEP, path, start=starving)
    assert report.verdict is Verdict.ERROR
    assert report.problem is not None
    assert report.problem.id == faults.BUSY
    assert "too busy to run your file" in report.problem.message
    assert starving.started == 1


@pytest.mark.parametrize(
    ("line", "starved"),
    [
        (b"stopped -9 300 19000\n", True),
        (b"stopped -9 300 0\n", False),  # it slept
        (b"stopped -9 19800 100\n", False),  # it worked
        (b"stopped -9 38000 15000\n", False),  # its own threads took the processors
        (b"stopped -9 7000 12500\n", False),  # it had a third of a processor: more than enough
        (b"", False),
    ],
)
def test_who_had_no_processor(line: bytes, starved: bool) -> None:
    assert exit_status.starved(exit_status.read(line), 20.0) == starved


# ---- in a class ----------------------------------------------------------------------------


class Desk(Executor):
    """Answers each task with the next report on it, and notes how many were there at once."""

    def __init__(self, answers: dict[bytes, list[Report]]) -> None:
        self._answers = answers
        self.asked: list[bytes] = []

    def submit(self, function: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        task: Task = args[0]
        self.asked.append(task.data)
        done: Future[Any] = Future()
        done.set_result(store.packed(self._answers[task.data].pop(0)))
        return done


def test_what_ran_out_of_time_beside_others_runs_alone_and_has_no_grade_if_the_machine_is_busy(
    tmp_path: Path,
) -> None:
    right = replace(reports.unread(STEP, Answer("a", "")), verdict=Verdict.PASS, problem=None)
    late = replace(right, verdict=Verdict.TIMEOUT)
    busy = faults.starved(right, ())
    answers = {b"1": [busy, right], b"2": [late, busy], b"3": [late, late], b"4": [right]}
    desk = Desk(answers)
    digests = {f"d{data.decode()}": data for data in answers}
    for digest, data in digests.items():
        (tmp_path / digest).write_bytes(data)
    names = {(STEP.id, digest): digest for digest in digests}
    keep = store.Store(tmp_path / "results")
    plan = Plan(Collected((), {}, ()), tmp_path, names, {}, "", b"")
    request = Request(tmp_path, (STEP,), tmp_path)
    assert len(list(session.graded(request, plan, keep, lambda: desk, 2, here=True))) == 4
    assert sorted(desk.asked[:4]) == [b"1", b"2", b"3", b"4"]
    assert sorted(desk.asked[4:]) == [b"1", b"2", b"3"]
    kept = {digest: found.verdict for digest in digests if (found := keep.load(digest))}
    assert kept == {"d1": Verdict.PASS, "d3": Verdict.TIMEOUT, "d4": Verdict.PASS}
