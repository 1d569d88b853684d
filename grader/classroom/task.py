"""One grading as a task for any ``concurrent.futures`` executor: everything can be pickled."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass

from grader.classroom import store
from grader.classroom.grading import Grader
from grader.pipeline import Options
from grader.sandbox import launch

CONFINING = ("sandboxed", "confined")
"""The tiers that confine a submission to its own files."""


@dataclass(frozen=True)
class Task:
    """Grade ``data`` as an answer to ``step``.

    ``fingerprint`` is the requesting machine's; another grader would return other results. If it is
    ``checked``, it may run anywhere; otherwise the machine checks whether it can confine it.
    """

    step: str
    data: bytes
    options: Options
    fingerprint: str
    checked: bool = False


class OtherGrader(Exception):
    """This machine has a different version of the grader, the framework or Python."""


class Unconfined(Exception):
    """This machine cannot confine a submission, and nobody said it is trusted."""


def grade(task: Task) -> bytes:
    """Return the report on one submission, as :func:`grader.classroom.store.packed` returns it.

    Raises:
        OtherGrader, Unconfined: this machine must not grade it.
        grader.classroom.grading.Overrun: the grader could not finish with it.
        OSError: the machine has run out of processes, pipes or space.
    """
    if version() != task.fingerprint:
        raise OtherGrader(f"{os.uname().nodename} has another version of the grader.")
    if not task.checked and (why := unconfined()):
        raise Unconfined(f"{os.uname().nodename}: {why}")
    return _grader().grade(task.step, task.data, task.options)


@functools.cache
def version() -> str:
    """Return the fingerprint of this machine's grader."""
    return store.fingerprint()


@functools.cache
def unconfined() -> str:
    """Say why this machine cannot confine a submission, and what to do; empty if it can."""
    offer = launch.offered()
    if offer.tier in CONFINING:
        return ""
    what = "This machine cannot confine a submission, which could read and change your files."
    easiest = f"Easiest remedy: {offer.remedy} " if offer.remedy else ""
    trust = "If you trust every submission, pass --trust-submissions."
    return f"{what} {offer.why}\n{easiest}{trust}"


@functools.cache
def _grader() -> Grader:
    """Return the process that grades for this one, and ends with it."""
    return Grader()
