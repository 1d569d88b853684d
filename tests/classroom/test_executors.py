"""A class graded by a real Dask cluster of several processes, one of them killed in the middle."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from grader.base import course

pytest.importorskip("distributed")
pytestmark = [pytest.mark.whole, pytest.mark.any_python]  # test_class grades with each

QUIET = ("--no-dashboard",)
STEP = "s02"


def start(*arguments: str, cwd: Path = course.ROOT) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", *arguments, *QUIET]
    return subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@contextmanager
def scheduler(folder: Path) -> Iterator[tuple[str, str]]:
    """A scheduler's address, and the option by which workers find it."""
    place = folder / "scheduler.json"
    options = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(place))
    process = start("distributed.cli.dask_scheduler", *options)
    try:
        from distributed import Client

        wait_for(lambda: place.exists() and place.stat().st_size)  # it is written after it is made
        client = Client(scheduler_file=str(place), timeout=120)
        address = client.scheduler.address
        client.close()
        yield address, str(place)
    finally:
        process.terminate()
        process.wait()


def worker(file: str, cwd: Path = course.ROOT) -> subprocess.Popen[bytes]:
    options = ("--scheduler-file", file, "--nthreads", "1", "--no-nanny")
    return start("distributed.cli.dask_worker", *options, cwd=cwd)


def wait_for(condition: object, seconds: float = 120.0) -> None:
    assert callable(condition)
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "nothing happened"
        time.sleep(0.05)


def grading(where: Path, out: Path, *more: str) -> subprocess.Popen[str]:
    given = (str(where), "--step", STEP, "--out", str(out), *more)
    return subprocess.Popen(
        [sys.executable, "-m", "grader", "class", *given],
        cwd=course.ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def submissions(folder: Path) -> Path:
    solution = course.find(STEP).solution.read_text(encoding="utf-8")
    for index in range(6):
        (folder / f"student{index}").mkdir(parents=True)
        text = f"{solution}\n# {index}\n" if index % 3 else f"raise ValueError({index})\n"
        (folder / f"student{index}" / "step_02.py").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.usefixtures("confining")
def test_a_worker_is_killed_and_the_results_are_those_of_one_machine(tmp_path: Path) -> None:
    where = submissions(tmp_path / "in")
    local = grading(where, tmp_path / "local")
    _, err = local.communicate()
    assert local.returncode == 0, err
    (tmp_path / "cluster" / "results").mkdir(parents=True)
    shutil.copy(tmp_path / "local" / "results" / "key", tmp_path / "cluster" / "results" / "key")
    with scheduler(tmp_path) as (address, file):
        workers = [worker(file), worker(file)]
        try:
            from distributed import Client

            with Client(address, timeout=60) as client:
                client.wait_for_workers(2, timeout=120)
            process = grading(where, tmp_path / "cluster", "--scheduler", address)
            wait_for(lambda: list((tmp_path / "cluster" / "results").glob("*.json")))
            os.kill(workers[0].pid, signal.SIGKILL)
            out, err = process.communicate()
            assert process.returncode == 0, err
            assert "2 fail" in out
        finally:
            for each in workers:
                each.kill()
                each.wait()
    for path in sorted((tmp_path / "local").rglob("*.*")):
        other = tmp_path / "cluster" / path.relative_to(tmp_path / "local")
        if path.is_file():
            assert other.read_bytes() == path.read_bytes(), path


def test_workers_without_this_grader_are_refused(tmp_path: Path) -> None:
    where = submissions(tmp_path / "in")
    with scheduler(tmp_path) as (address, file):
        nobody = grading(where, tmp_path / "out", "--scheduler", address)
        assert "has no workers" in nobody.communicate()[1]
        stranger = worker(file, tmp_path)
        try:
            from distributed import Client

            with Client(address, timeout=60) as client:
                client.wait_for_workers(1, timeout=120)
            process = grading(where, tmp_path / "out", "--scheduler", address)
            err = process.communicate()[1]
            assert process.returncode == nobody.returncode == 2
            assert "has another grader" in err
        finally:
            stranger.kill()
            stranger.wait()


def test_no_scheduler_at_the_address(tmp_path: Path) -> None:
    where = submissions(tmp_path / "in")
    process = grading(where, tmp_path / "out", "--scheduler", "tcp://127.0.0.1:9")
    err = process.communicate()[1]
    assert process.returncode == 2
    assert "no Dask scheduler" in err
    assert "Traceback" not in err
