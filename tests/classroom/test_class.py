"""A small class, graded by the command, in real processes."""

from __future__ import annotations

import csv
import errno
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from grader.base import course
from grader.isolation import kernel, landlock, seccomp
from tests.graded import variants

ROSTER = (
    "Student,ID,Status\nAda,1,Submitted for grading - 2 hours late\nBob,2,Submitted for grading\n"
    "Missing Person,3,\n=Evil,4,\n"
)
POINTS = "[s05]\nattn-output = 10\n"


class Class(NamedTuple):
    """One run of the command and its gradebook."""

    folder: Path
    run: subprocess.CompletedProcess[str]
    rows: Mapping[str, Mapping[str, str]]


def submissions(folder: Path) -> Path:
    """A right, a wrong, a broken, a hostile and an unreadable one, and one of nothing."""
    given = {
        "ada/step_05.py": (course.ROOT / "solutions" / "solution_05.py").read_bytes(),
        "bob/Step 5.py": variants.find("s05/wrong/no_scale").source,
        "cy/step_05.py": b"def (\n",
        "evil_LATE_4_44_step_05.py": b"import os\nos._exit(0)\n",
        "zoe/step_05.py": b"\xff\xfe\0",
        "nothing/notes.txt": b"later",
    }
    for name, data in given.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


CLASS = (sys.executable, "-m", "grader", "class")


def command(folder: Path, *more: str) -> list[str]:
    return [*CLASS, str(folder / "in"), "--step", "s05", "--out", str(folder / "out"), *more]


def run(folder: Path, *more: str) -> Class:
    done = subprocess.run(
        command(folder, *more), cwd=course.ROOT, capture_output=True, encoding="utf-8", check=False
    )
    book = folder / "out" / "gradebook.csv"
    assert book.exists(), done.stderr
    with book.open(encoding="utf-8-sig", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file, strict=True)}
    return Class(folder, done, rows)


@pytest.fixture(scope="module")
def graded(confining: None, tmp_path_factory: pytest.TempPathFactory) -> Class:
    folder = tmp_path_factory.mktemp("class")
    submissions(folder / "in")
    (folder / "roster.csv").write_text(ROSTER)
    (folder / "points.toml").write_text(POINTS)
    return run(
        folder,
        *("--workers", "2"),
        *("--roster", str(folder / "roster.csv")),
        *("--points", str(folder / "points.toml")),
    )


def test_every_student_has_one_row_in_the_order_of_the_roster(graded: Class) -> None:
    assert graded.run.returncode == 0, graded.run.stderr
    assert {name: (row["s05 verdict"], row["on roster"]) for name, row in graded.rows.items()} == {
        "Ada": ("pass", "yes"),
        "Bob": ("fail", "yes"),
        "Missing Person": ("missing", "yes"),
        "'=Evil": ("fail", "yes"),
        "cy": ("fail", "no"),
        "nothing": ("missing", "no"),
        "zoe": ("fail", "no"),
    }


def test_points_lateness_and_reasons(graded: Class) -> None:
    assert graded.rows["Ada"]["percent"] == "100.0"
    assert graded.rows["Ada"]["s05 points"] == graded.rows["Ada"]["s05 of"] == "40"
    assert graded.rows["Missing Person"]["points"] == "0"
    assert graded.rows["'=Evil"]["s05 late"] == graded.rows["Ada"]["s05 late"] == "late"
    assert graded.rows["Bob"]["s05 late"] == ""
    assert graded.rows["'=Evil"]["s05 first problem"]
    assert "missing-scale" in graded.rows["Bob"]["s05 mistake"]
    assert "Syntax error" in graded.rows["cy"]["s05 first problem"]
    assert "UTF-16" in graded.rows["zoe"]["s05 first problem"]
    assert "Not on the roster: cy" in graded.run.stderr


@pytest.mark.whole
def test_stopped_and_killed_and_gone_on_with_it_is_the_same_book(
    graded: Class, tmp_path: Path
) -> None:
    shutil.copytree(graded.folder, tmp_path, dirs_exist_ok=True)
    shutil.rmtree(tmp_path / "out")
    (tmp_path / "out" / "results").mkdir(parents=True)
    shutil.copy(graded.folder / "out" / "results" / "key", tmp_path / "out" / "results" / "key")
    more: tuple[str, ...] = ("--workers", "1", "--roster", str(tmp_path / "roster.csv"))
    more += ("--points", str(tmp_path / "points.toml"))
    stopped = _stopped(tmp_path, more, after=1, by=signal.SIGINT)
    assert stopped.returncode == 130
    assert "The same command resumes." in stopped.stderr
    assert "Traceback" not in stopped.stderr
    after = len(_results(tmp_path)) + 1  # it may have finished more than one before it stopped
    assert _stopped(tmp_path, more, after=after, by=signal.SIGKILL).returncode == -signal.SIGKILL
    assert (tmp_path / "out" / ".submissions").exists()
    kept = {path: path.stat().st_mtime_ns for path in _results(tmp_path)}
    assert len(kept) >= 2
    again = run(tmp_path, *more)
    assert f"{len(kept)} of 5 are already graded." in again.run.stderr
    assert all(path.stat().st_mtime_ns == when for path, when in kept.items())
    for name in (
        "gradebook.csv",
        "class.html",
        *(f"results/{path.name}" for path in _results(graded.folder)),
    ):
        assert (tmp_path / "out" / name).read_bytes() == (
            graded.folder / "out" / name
        ).read_bytes(), name


def test_a_full_disk_costs_nothing_that_is_there(graded: Class, tmp_path: Path) -> None:
    shutil.copytree(graded.folder, tmp_path, dirs_exist_ok=True)
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    full = subprocess.run(
        command(tmp_path, "--roster", str(tmp_path / "roster.csv")),
        cwd=course.ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
    )
    assert full.returncode == 3
    assert "the same command then resumes" in full.stderr
    assert "Traceback" not in full.stderr
    after = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert after == before


def _results(folder: Path) -> list[Path]:
    return sorted((folder / "out" / "results").glob("*.json"))


def _stopped(
    folder: Path, more: tuple[str, ...], *, after: int, by: signal.Signals
) -> subprocess.CompletedProcess[str]:
    process = subprocess.Popen(
        command(folder, *more),
        cwd=course.ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    while len(_results(folder)) < after and process.poll() is None:
        time.sleep(0.02)
    os.kill(process.pid, by)
    out, err = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nowhere", "--step", "s05"), "no folder or zip file"),
        (("in", "--step", "s99"), "no step 's99'"),
        (("in",), "--step"),
        (("in/../in", "--step", "s05"), "--out contains"),
        (("in", "--step", "s05", "--roster", "nowhere.csv"), "cannot be read"),
        (("in", "--step", "s05", "--again", "nobody"), "nobody called 'nobody'"),
        (("in", "--step", "s05", "--roster", "others.csv"), "--any-roster"),
        (("in", "--step", "s05", "--roster", "quiz.csv", "--for", "canvas"), "'Step 05 quiz (7)'"),
    ],
)
def test_wrong_usage_says_what_to_do(tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    submissions(tmp_path / "in")
    (tmp_path / "others.csv").write_text("Name\nDora\nEmil\n")
    (tmp_path / "quiz.csv").write_text("Student,ID,Step 05 quiz (7),Step 05 (9)\nAda,1,,\n")
    where = "in" if "in/../in" in arguments else "out"
    done = subprocess.run(
        # Trusted, so that a machine that confines nothing reads them too. Nothing is run.
        [*CLASS, *arguments, "--out", where, "--trust-submissions"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(course.ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 2
    assert says in done.stderr
    assert not (tmp_path / where / "gradebook.csv").exists()


def no_landlock() -> None:
    """Have this process and its children see a kernel without Landlock."""
    blocked = [
        (seccomp.LOAD, 0, 0, seccomp.NUMBER),
        (seccomp.JUMP_EQUAL, 0, 1, landlock.CREATE_RULESET),
        (seccomp.RETURN, 0, 0, seccomp.ERRNO | errno.ENOSYS),
        (seccomp.RETURN, 0, 0, seccomp.ALLOW),
    ]
    assert kernel.no_new_privileges()
    assert seccomp.install(blocked)


def unconfined(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Grade what is in ``folder`` on a machine that cannot confine."""
    return subprocess.run(
        command(folder, *more),
        cwd=course.ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
        preexec_fn=no_landlock if sys.platform == "linux" else None,
    )


def test_where_nothing_confines_it_refuses_before_it_reads_anything(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"not an archive")
    refused = unconfined(tmp_path)
    assert refused.returncode == 3
    first, second = refused.stderr.splitlines()
    assert "cannot confine a submission" in first
    assert "has no Landlock" in first
    assert second.startswith("Easiest remedy: Use Linux 5.13 or later")
    assert second.endswith("pass --trust-submissions.")
    assert not (tmp_path / "out").exists()


@pytest.mark.whole
def test_where_nothing_confines_it_grades_those_that_are_trusted(tmp_path: Path) -> None:
    (tmp_path / "in" / "ada").mkdir(parents=True)
    shutil.copy(course.find("s05").solution, tmp_path / "in" / "ada" / "step_05.py")
    trusted = unconfined(tmp_path, "--trust-submissions")
    assert trusted.returncode == 0, trusted.stderr
    assert "1 pass" in trusted.stdout
