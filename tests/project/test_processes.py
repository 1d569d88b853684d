"""What tests start ends with pytest, however that ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from grader.base.course import ROOT
from tests import processes

STARTS = """
import os, subprocess, sys, time
sys.path.insert(0, sys.argv[1])
from tests import processes
with processes.ended_with_this():
    orphan = "sleep 60 & echo $!"
    subprocess.run(["sh", "-c", orphan], start_new_session=True)
    time.sleep(60)
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_what_lost_its_parent_ends_with_the_run(number: int) -> None:
    command = [sys.executable, "-c", STARTS, str(ROOT)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
        assert run.stdout is not None
        orphan = psutil.Process(int(run.stdout.readline()))
        run.send_signal(number)
        orphan.wait(processes.PATIENCE_S)


def test_what_is_left_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "PATIENCE_S", 0.0)
    assert processes.left() == []
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as started:
        while not processes.name(started.pid):
            time.sleep(0.01)  # its variables are there when its command line is
        assert processes.left() == [started.pid]
        assert processes.name(started.pid) == "sleep 60 "
        processes.kill(processes.left())
