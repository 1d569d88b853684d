"""A process that grades one submission after the other, and can be killed.

It parses what a student wrote and compares it with the reference. An endless loop, unbounded
memory use or a crash of Python ends this process and nothing else.
"""

from __future__ import annotations

import functools
import os
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection

import msgspec

from grader import pipeline, sandbox
from grader.base import course
from grader.base.model import Report
from grader.classroom import store
from grader.isolation import supervisor
from grader.pipeline import Options
from grader.sandbox.limits import STRANGERS

WALL_S = 900.0
"""Longer than all limits of one grading together, however busy the machine is."""
CPU_S = 60.0
"""Seconds of processor time for one grading, without its workers. It takes 0.1 s."""
MEMORY = 2 << 30
"""Bytes of memory that the process may use."""
TICK_S = 0.25
LONGEST = 8 << 20
"""Bytes of a report."""
PROGRAM = """\
import sys
sys.path.insert(0, sys.argv[1])
from grader.classroom.grading import serve
serve(int(sys.argv[2]))
"""


class Overrun(Exception):
    """The grader could not finish with a file. The message says why."""


class Grader:
    """Grades in a separate process, which it replaces when that had to be killed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None

    def grade(self, step: str, data: bytes, options: Options) -> bytes:
        """Return the report on ``data``, as :func:`grader.classroom.store.packed` returns it.

        Raises:
            Overrun: it took too long, or ended its process.
            OSError: the machine has no process or pipe left.
        """
        with self._lock:
            pipe = self._started()
            try:
                pipe.send((step, data, options))
                return self._answer(pipe)
            except (Overrun, EOFError, OSError) as problem:
                why = str(problem) if isinstance(problem, Overrun) else self._ended()
                self.close()
                raise Overrun(why) from None

    def close(self) -> None:
        """End the process and its workers."""
        if self._process is not None and self._pipe is not None:
            self._pipe.close()
            self._process.kill()
            self._process.wait()
        self._process = self._pipe = None

    def _started(self) -> Connection:
        if self._process is None or self._pipe is None or self._process.poll() is not None:
            self.close()
            ours, theirs = socket.socketpair()
            for option in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):  # in the middle of a message
                ours.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", int(WALL_S), 0))
            with theirs:
                self._pipe = Connection(ours.detach())
                self._process = subprocess.Popen(
                    # -P: the folder where it starts may contain submissions.
                    [sys.executable, "-P", "-c", PROGRAM, str(course.HOME), str(theirs.fileno())],
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    # NumPy's threads would spin on the cores that the workers need.
                    env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
                )
        return self._pipe

    def _answer(self, pipe: Connection) -> bytes:
        deadline = time.monotonic() + WALL_S
        while not pipe.poll(TICK_S):
            if time.monotonic() > deadline:
                raise Overrun(f"It took more than {WALL_S:g} s.")
            if self._process and supervisor.usage(self._process.pid).memory > MEMORY:
                raise Overrun(f"Reading it takes more than {MEMORY >> 30} GiB of memory.")
        return pipe.recv_bytes(LONGEST)

    def _ended(self) -> str:
        """Say why the process has ended."""
        if self._process is None:
            return "It could not be started."
        try:
            status = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return "It went silent."
        if status == -signal.SIGPROF:
            return f"Reading it takes more than {CPU_S:g} s of processor time."
        if status == -signal.SIGKILL:
            return "It was killed from outside, perhaps for lack of memory."
        return f"It ended with status {status}."


def serve(descriptor: int) -> None:
    """Grade what comes from ``descriptor`` until its other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.set_inheritable(descriptor, False)
    pipe = Connection(descriptor)
    threading.Thread(target=_end_with, args=(descriptor,), daemon=True).start()
    # The workers that this process keeps ready end with it. Nobody waits for a single file of a
    # class, so none of them runs a forward pass in advance: that only costs processor time.
    pool = sandbox.WorkerPool(1, limits=STRANGERS, warm=False)
    start = functools.partial(pool.start, limits=STRANGERS)
    while True:
        try:
            name, data, options = pipe.recv()
        except EOFError:
            return
        # The timer counts this process alone, and forked workers do not inherit it.
        signal.setitimer(signal.ITIMER_PROF, CPU_S)
        step = course.find(name)
        report = pipeline.grade(step, step.stub, options, start=start, data=data)
        pipe.send_bytes(store.packed(report))
        signal.setitimer(signal.ITIMER_PROF, 0)


def _end_with(descriptor: int) -> None:
    """End this process when the other end is closed, even in the middle of a grading."""
    poller = select.poll()
    poller.register(descriptor, 0)
    poller.poll()
    os._exit(0)


def unpacked(data: bytes) -> Report:
    """Return the report that a process returned.

    Raises:
        Overrun: it is not one.
    """
    try:
        return store.unpacked(data)
    except msgspec.DecodeError as problem:
        raise Overrun(f"What its process returned is not a report: {problem}") from None
