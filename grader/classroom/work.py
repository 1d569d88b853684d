"""One grading, as a task for any ``concurrent.futures`` executor: all of it can be pickled."""

from __future__ import annotations

import functools
import os
import threading
from dataclasses import dataclass, replace
from typing import Any

from grader import course, pipeline, sandbox
from grader.classroom import store
from grader.model import Report
from grader.pipeline import Options

PATIENCE_S = 900.0
"""Longer than all limits of one grading together. What takes longer hangs in the grader itself."""


@dataclass(frozen=True)
class Task:
    """Grade ``data`` as an answer to ``step``.

    ``fingerprint`` is that of the machine which asks; another grader would give other results.
    """

    step: str
    data: bytes
    options: Options
    fingerprint: str
    trusted: bool = False


class OtherGrader(Exception):
    """This machine has another version of the grader, of MAX or of Python."""


class Unconfined(Exception):
    """This machine cannot confine a submission, and nobody said that it is trusted."""


def grade(task: Task) -> dict[str, Any]:
    """The report on one submission, as :func:`grader.classroom.store.plain` gives it.

    Raises:
        OtherGrader, Unconfined: this machine must not grade it.
        OSError: the machine has no process, pipe or folder left.
    """
    if _fingerprint() != task.fingerprint:
        raise OtherGrader(f"the grader on {os.uname().nodename} is another version")
    step = course.find(task.step)
    # A thread: the pipeline is somewhere in C code when it hangs, and signals would wait for it.
    alarm = threading.Timer(PATIENCE_S, os._exit, (70,))
    alarm.daemon = True
    alarm.start()
    try:
        report = pipeline.grade(step, step.stub, task.options, data=task.data)
    finally:
        alarm.cancel()
    return store.plain(replace(report, duration_s=0.0))


def tier() -> str:
    """How well this machine confines a submission, found out by running the worker once."""
    step = course.steps()[0]
    report: Report = pipeline.grade(step, step.solution)
    return report.isolation


@functools.cache
def _fingerprint() -> str:
    return store.fingerprint()


__all__ = ["OtherGrader", "Task", "Unconfined", "grade", "sandbox", "tier"]
