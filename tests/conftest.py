"""What every test relies on."""

import fcntl
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import hypothesis
import pytest

from grader import sandbox
from grader.base import machine
from grader.base.course import ROOT
from grader.classroom import task
from grader.explain.repair import suggest
from grader.explain.trace import follow
from grader.frameworks.max import engine
from tests import marks, processes
from tests.graded import in_process
from tests.own_course import Course, copy_course


def pytest_configure(config: pytest.Config) -> None:
    """Ctrl-C means what it means in a terminal, and commands work where a test starts them.

    A shell that runs pytest in the background makes it ignore SIGINT, and so every process that
    a test starts; the tests of Ctrl-C would wait for what cannot come. pixi and pixiw name the
    folder in which they were called, which says nothing about what tests start elsewhere; and
    the size of pytest's terminal, which readline exports, is not that of a test's own terminal.
    Where Python may write no bytecode, each of a thousand processes would compile the grader anew.
    No example of hypothesis has a deadline: a machine that is busy would miss it. What tests start
    ends with pytest, however that ends.
    """
    marks.choose_day()
    hypothesis.settings.register_profile("no deadline", deadline=None)
    hypothesis.settings.load_profile("no deadline")
    for name in ("INIT_CWD", "LINES", "COLUMNS", "PYTHONDONTWRITEBYTECODE"):
        os.environ.pop(name, None)
    sys.dont_write_bytecode = False
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if worker := os.environ.get("PYTEST_XDIST_WORKER"):
        processes.mark_those_of(worker)
    else:
        keeper = ExitStack()
        keeper.enter_context(processes.ended_with_this())
        config.add_cleanup(keeper.close)


LIMITS_S = {"whole": 600, "parity": 600, "slow": 3600, "native": 3600}
"""Seconds for a test with one of these markers. pyproject.toml has the limit of the others."""

AMPLE_S = 60.0
LIMITS = {follow: "MOST_S", suggest: "BUDGET_S"}
"""The times, in seconds, after which an explanation has to do with what is known."""

SLOW = (
    "test_hostile.py",
    "test_variants.py",
    "test_book_browser.py",  # has the book built
    "test_desk_browser.py",
    "test_repair.py",
    "test_learner.py",
    "test_book.py",
    "test_staging.py",
    "test_lesson_texts.py",
    "test_faults.py",
    "test_mistakes.py",
    "test_grade.py",
    "test_watch.py",
    "test_conditions.py",
    "test_localize.py",
    "test_lessons.py",
    "test_notebook_kernel.py",
    "test_desk.py",
    "test_gpt2.py",
    "test_desk_attacks.py",
    "test_executors.py",
    "test_catalogue.py",
    "test_class.py",
    "test_sandbox.py",
    "test_figures.py",
    "test_pool.py",
    "test_numpy_course.py",
    "test_report_order.py",
)
"""The files that take longest. They come first, so that no process is left with one at the end."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported stays: the collector rests, and later looks at what tests make.

    It does so as rarely as in a worker.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(50_000, 20, 100)


@pytest.hookimpl(tryfirst=True)  # before those with some marks are left out
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose today's sample, order the tests by file, the longest first, and limit their time."""
    for item in items if not any("::" in name for name in config.args) else ():
        marks.mark_sample(item)
    for item in items:
        if limits := [limit for name, limit in LIMITS_S.items() if item.get_closest_marker(name)]:
            item.add_marker(pytest.mark.timeout(max(limits)))
    items.sort(key=lambda item: SLOW.index(item.path.name) if item.path.name in SLOW else len(SLOW))


def pytest_report_header() -> str:
    """Which sample runs."""
    return f"sample of the day: {marks.DAY}={marks.choose_day()}"


def pytest_xdist_auto_num_workers() -> int:
    """One more than cores: some tests wait for a clock, and none keeps a core all along."""
    return min(machine.cores() + 1, 4)


@pytest.fixture(scope="module", autouse=True)
def _no_process_is_left() -> Iterator[None]:
    """The tests of a file end what they have started. What a failed one leaves is killed."""
    yield
    if left := processes.left():
        names = "\n".join(map(processes.name, left))
        processes.kill(left)
        pytest.fail(f"These processes were still running:\n{names}")


@pytest.fixture(autouse=True)
def _own_environment() -> None:
    """MAX sets these for child processes when it is imported, unseen by ``os.environ``."""
    for name in ("PYTHONEXECUTABLE", "PYTHONPATH"):
        if name not in os.environ:
            os.unsetenv(name)


@pytest.fixture(scope="session")
def workers() -> Iterator[sandbox.WorkerPool]:
    """Workers for tests that grade in this process: MAX is imported once for all of them."""
    with processes.kept():
        pool = sandbox.WorkerPool(1)
        pool.start().close()
    in_process.POOLS.append(pool)
    with pool:
        yield pool
    in_process.POOLS.remove(pool)


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time enough to explain every mistake: what is told depends on no machine's speed."""
    for module, name in LIMITS.items():
        monkeypatch.setattr(module, name, AMPLE_S)


@pytest.fixture(scope="module")
def numpy_engine() -> None:
    """MAX computes on NumPy in this process."""
    os.environ.update(engine.environment())
    engine.install("numpy")


@pytest.fixture
def nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """MAX refuses to compile instead of doing it for minutes."""
    monkeypatch.setenv("MAX_EAGER_ALLOW_LAZY_COMPILE", "0")


@pytest.fixture(scope="module")
def judging() -> Iterator[ProcessPoolExecutor]:
    """A process with MAX in it, in which programs are graded without a worker."""
    from tests.graded import verdicts

    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, verdicts.start_pool) as executor:
        yield executor


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course of one's own, one for a file of tests."""
    return copy_course(tmp_path_factory.mktemp("own"))


@pytest.fixture(scope="session")
def confining() -> None:
    """For the tests that have a class graded: skips them where ``class`` refuses, and says why."""
    if why := task.unconfined():
        pytest.skip(why.partition("\n")[0])


@pytest.fixture(scope="session")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built book, one for all processes of pytest-xdist. Nobody changes it."""
    folder = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        folder = folder.parent
    site = folder / "book"
    with (folder / "book.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not site.exists():
            command = [sys.executable, "-m", "book", "--output", str(site)]
            subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return site
