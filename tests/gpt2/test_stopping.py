"""How writing ends: by Ctrl-C, and by a closed pipe."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from grader.base.course import ROOT
from tests.marks import sampled
from tests.worker_jobs import until


@contextmanager
def started(engine: str, home: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A run that has begun to write, and where its text can be read; nothing is compiled yet.

    On Linux the pipe has room for a few words only. However late this process looks at it, the
    run has not come to its end.
    """
    command = [sys.executable, "-m", "gpt2", "--engine", engine, "--prompt", "It is"]
    empty = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(home)}
    reader, writer = os.pipe()
    filled = 0
    if sys.platform == "linux":
        filled = fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096) - 40
        os.write(writer, b" " * filled)
    with subprocess.Popen(
        command, cwd=ROOT, env=empty, text=True, stdout=writer, stderr=subprocess.PIPE
    ) as process:
        os.close(writer)
        until(lambda: held(reader) > filled + len("It is"))
        yield process, reader


def held(reader: int) -> int:
    """How many bytes wait in a pipe."""
    return int.from_bytes(fcntl.ioctl(reader, termios.FIONREAD, bytes(4)), sys.byteorder)


@pytest.mark.parametrize("engine", sampled(3, ["numpy", "auto"]))
def test_ctrl_c_ends_the_text_and_tells_how_fast_it_was(engine: str, tmp_path: Path) -> None:
    with started(engine, tmp_path) as (process, reader):
        process.send_signal(signal.SIGINT)
        with os.fdopen(reader, "rb") as text:
            text.read()
        told = process.communicate()[1]
    assert process.returncode == 130
    assert ("while MAX compiles" in told) == (engine == "auto")
    assert "a second" in told
    assert "Stopped." in told
    assert "Traceback" not in told


@pytest.mark.parametrize("engine", sampled(3, ["numpy", "auto"]))
def test_a_closed_pipe_ends_it_quietly(engine: str, tmp_path: Path) -> None:
    with started(engine, tmp_path) as (process, reader):
        os.close(reader)
        told = process.communicate()[1]
    assert process.returncode == 1
    assert "rror" not in told
