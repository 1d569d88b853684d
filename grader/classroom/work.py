"""One grading as a task for any ``concurrent.futures`` executor: everything can be pickled."""

from __future__ import annotations

import functools
import os
import threading
from dataclasses import dataclass, replace
from typing import Any

from grader import sandbox
from grader.base import course
from grader.classroom import store
from grader.grading import pipeline
from grader.grading.pipeline import Options
from grader.sandbox import launch

CONFINING = ("sandboxed", "confined")
"""The tiers that keep a submission from everything but its own files."""
PATIENCE_S = 900.0
"""Longer than all limits of one grading together. Beyond it, the grader itself hangs."""


@dataclass(frozen=True)
class Task:
    """Grade ``data`` as an answer to ``step``.

    ``fingerprint`` is the requesting machine's; another grader would return other results.
    """

    step: str
    data: bytes
    options: Options
    fingerprint: str
    trusted: bool = False


class OtherGrader(Exception):
    """This machine has a different version of the grader, of the framework or of Python."""


class Unconfined(Exception):
    """This machine cannot confine a submission, and nobody said it is trusted."""


def grade(task: Task) -> dict[str, Any]:
    """The report on one submission, as :func:`grader.classroom.store.plain` returns it.

    Raises:
        OtherGrader, Unconfined: this machine must not grade it.
        OSError: the machine has run out of processes, pipes or space.
    """
    if version() != task.fingerprint:
        raise OtherGrader(f"{os.uname().nodename} has another version of the grader")
    if not task.trusted and (why := unconfined()):
        raise Unconfined(f"{os.uname().nodename}: {why}")
    step = course.find(task.step)
    # A thread: a hanging pipeline is somewhere in C code, and signals would wait for it.
    alarm = threading.Timer(PATIENCE_S, os._exit, (70,))
    alarm.daemon = True
    alarm.start()
    try:
        report = pipeline.grade(step, step.stub, task.options, start=_pool().start, data=task.data)
    finally:
        alarm.cancel()
    return store.plain(replace(report, duration_s=0.0))


@functools.cache
def version() -> str:
    """The fingerprint of this machine's grader."""
    return store.fingerprint()


@functools.cache
def unconfined() -> str:
    """Why this machine cannot confine a submission, and what to do; empty if it can."""
    offer = launch.offered()
    return "" if offer.tier in CONFINING else f"{offer.why} {offer.remedy}".strip()


@functools.cache
def _pool() -> sandbox.WorkerPool:
    """The workers that this process keeps ready. They end with it."""
    return sandbox.WorkerPool(1)
