"""Every task comes to an end, whatever becomes of the processes that do the work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor
from pathlib import Path

import pytest

from grader.base import course
from grader.classroom import executors
from grader.classroom.dispatch import Done, run

WORDS = ("good", "die", "good", "good", "raise", "good", "once", "good")


def work(task: tuple[str, str]) -> str:
    """What ``task`` says, in a process of the pool."""
    word, folder = task
    if word == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "once" and not (Path(folder) / "died").exists():
        (Path(folder) / "died").touch()
        os._exit(1)
    if word == "raise":
        raise LookupError(word)
    return word


def test_a_task_that_kills_its_process_costs_only_itself(tmp_path: Path) -> None:
    tasks = ((index, (word, str(tmp_path))) for index, word in enumerate(WORDS))
    done: dict[int, Done[int, str]] = {}
    for each in run(tasks, work, executors.local(2), 4, 60.0):
        assert each.key not in done
        done[each.key] = each
    assert sorted(done) == list(range(len(WORDS)))
    for index, word in enumerate(WORDS):
        if word == "die":
            assert isinstance(done[index].error, BrokenExecutor)
        elif word == "raise":
            assert isinstance(done[index].error, LookupError)
        else:
            assert done[index].result == word, word


def wait_for_ever(pid_file: str) -> None:
    Path(pid_file).write_text(str(os.getpid()))
    time.sleep(600)


def lead(pid_file: str) -> None:
    """A process with a pool of its own, which waits."""
    list(run(iter([(0, pid_file)]), wait_for_ever, executors.local(1), 1, 60.0))


def test_a_pool_ends_with_the_process_that_made_it(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    program = f"from tests.classroom.test_dispatch import lead; lead({str(pid_file)!r})"
    leader = subprocess.Popen([sys.executable, "-c", program], cwd=course.ROOT)
    patience = time.monotonic() + 60
    while not (pid_file.exists() and pid_file.read_text()) and time.monotonic() < patience:
        time.sleep(0.01)
    worker = int(pid_file.read_text())
    leader.kill()
    leader.wait()
    while time.monotonic() < patience:
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        time.sleep(0.01)
    pytest.fail("the pool's process outlived its parent")
