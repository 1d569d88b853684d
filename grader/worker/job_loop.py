"""The worker's dialogue with the grader: take a job, answer its questions one by one.

Another job follows if the grader has more to ask about the same program; else the process ends.

Everything is imported at the top: once the learner's code runs, the grader's modules can no
longer be imported by name.
"""

from __future__ import annotations

import os
import random
import sys
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import NoReturn

import numpy as np

from grader.frameworks import Runtime
from grader.isolation.settings import JOB, MESSAGES
from grader.protocol import wire
from grader.protocol.message import Done, Hello, Loaded, Message, Notice, Taken
from grader.protocol.probe import Job
from grader.worker import imports, instrumentation, probes, program, tries, watchdog
from grader.worker.arguments import Arguments

SENDING = threading.Lock()

OUT_OF_MEMORY = 71
"""Exit status if there is not even memory left to report the error."""


def do_job(layers: tuple[str, ...], wall: float, runtime: Runtime) -> NoReturn:
    """Announce that this worker is ready, then do its jobs. Does not return."""
    send(Hello(layers, os.getpid(), runtime.left))
    frames = _frames()
    notes: list[str] = []
    job = _receive(frames)
    try:
        _prepare(job, runtime, notes)
        send(Taken())
        watchdog.start(job.file, wall, send, probes.doing)
        _work(job, frames, runtime, notes, since=0.0)
        while True:
            job, since = _receive(frames), time.process_time()
            send(Taken())
            _work(job, frames, runtime, notes, since)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)


def send(message: Message) -> None:
    """Write one frame to the grader. Any thread may call this."""
    frame = memoryview(wire.encode(message))
    with SENDING:
        while frame:
            frame = frame[os.write(MESSAGES, frame) :]


def announce(line: str) -> None:
    """Tell the grader why this takes long."""
    send(Notice(line))


def _frames() -> Iterator[tuple[bytes, bytes]]:
    """Yield head and body of each frame from the grader; after the last, end the process."""
    assembler = wire.Assembler(wire.JOB_LIMIT, wire.JOB_LIMIT)
    while data := os.read(JOB, 1 << 20):
        yield from assembler.feed(data)
    os._exit(0)


def _receive(frames: Iterator[tuple[bytes, bytes]]) -> Job:
    head, body = next(frames)
    _seed(zlib.crc32(head))
    return wire.decode_job(head, body)


def _seed(number: int) -> None:
    """Seed the random generators, so that a program draws the same numbers if a job is repeated."""
    random.seed(number)
    np.random.seed(number)


def _prepare(job: Job, runtime: Runtime, notes: list[str]) -> None:
    """Prepare what every job needs."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(  # type: ignore[union-attr]
            encoding="utf-8", errors="backslashreplace", line_buffering=True
        )
    runtime.leave(job.without)
    imports.install(job.modules, runtime.framework.importable, runtime.finders(notes))


def _work(
    job: Job,
    frames: Iterator[tuple[bytes, bytes]],
    runtime: Runtime,
    notes: list[str],
    since: float,
) -> None:
    """Answer the questions of a job that began at ``since`` seconds of processor time."""
    recorder = instrumentation.Recorder(runtime) if job.follow else None
    with tries.at_most(job.seconds):
        module, error = program.load(job, recorder)
    send(Loaded(error))
    arguments = Arguments(runtime, job.configuration)
    subject = probes.Subject(
        module, job.file, runtime, arguments, recorder, brief=job.brief, raised=set(job.raised)
    )
    ask = wire.decode_ask(*next(frames))
    while ask.probe is not None:
        left = since + job.seconds - time.process_time()
        send(replace(tries.run(ask.probe, job, subject, left), token=ask.token))
        ask = wire.decode_ask(*next(frames))
    _flush()
    spent = time.process_time() - since
    send(Done(tuple(notes), tuple(dict.fromkeys(runtime.faults)), ask.token, spent))


def _flush() -> None:
    """Flush what the learner's code printed before this process ends abruptly."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(BaseException):  # the learner's code may have replaced the stream
            stream.flush()
