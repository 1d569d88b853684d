"""How ``watch`` hears of changes, and grades with two workers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.base import course
from grader.base.machine import cores
from grader.learner.watch.changes import file_system, must_poll
from grader.learner.watch.split import SplitRun
from grader.pipeline import Options, grade
from grader.sandbox import Running, WorkerPool

pytestmark = pytest.mark.any_python  # terminals, signals and files that change are the system's


@pytest.fixture(scope="module")
def pairs() -> Iterator[WorkerPool]:
    with WorkerPool(2) as pool:
        yield pool


@pytest.mark.parametrize(
    ("text", "other"),
    [("", ""), (" / math.sqrt(int(value.shape[-1]))", ""), ("import math", "print(1)\nx = 1 / 0")],
    ids=["right", "no scale", "error at import"],
)
def test_two_workers_find_what_one_finds(
    text: str, other: str, pairs: WorkerPool, tmp_path: Path
) -> None:
    step = course.find("s05")
    path = tmp_path / "step_05.py"
    source = step.solution.read_text(encoding="utf-8")
    path.write_text(source.replace(text, other) if text else source, encoding="utf-8")
    taken = []

    def second() -> Running:
        taken.append(pairs.start())
        return taken[-1]

    def start(**settings: Any) -> Any:
        return SplitRun(pairs.start(**settings), second)

    one = grade(step, path, Options(seed=5), pairs.start)
    two = grade(step, path, Options(seed=5), start)
    assert len(taken) == int(cores() > 1)
    assert replace(two, duration_s=0.0) == replace(one, duration_s=0.0)


MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:5 / /mnt/c rw,noatime - 9p drvfs rw
31 22 0:6 / /home/me/with\\040space rw - nfs4 server:/export rw
32 22 0:7 / /srv rw - fuse.sshfs host: rw
33 32 0:8 / /srv/local rw - ext4 /dev/sdb rw
broken line
"""


def test_polling_where_events_do_not_arrive(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS, encoding="utf-8")
    kinds = {
        "/home/me": "ext4",
        "/mnt/c/course": "9p",
        "/mnt/cc": "ext4",
        "/home/me/with space/course": "nfs4",
        "/srv/course": "fuse.sshfs",
        "/srv/local/course": "ext4",
    }
    assert {path: file_system(Path(path), mounts) for path in kinds} == kinds
    assert file_system(Path("/home"), tmp_path / "missing") == ""
    assert must_poll(tmp_path, {"WATCHFILES_FORCE_POLLING": "1"})
    assert not must_poll(tmp_path, {"WATCHFILES_FORCE_POLLING": "false"})
