"""Marks for parameters of tests, and the sample of them that runs today."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar
from zlib import crc32

import pytest

T = TypeVar("T")

DAY = "GRADER_TEST_DAY"
"""The environment variable with the day whose sample runs: the same in each process."""
EXPLANATION = pytest.mark.sampled(32, 8).mark
"""A single explanation: one of 32 runs today, and seven more in ``test-whole``."""

any_numbers = pytest.mark.filterwarnings("ignore::RuntimeWarning")
"""For tests of what is called in a grading, where no number makes NumPy warn."""


def sampled(every: int, values: Iterable[Any]) -> list[Any]:
    """The values as parameters: one in ``every`` runs today, the others in ``test-whole``.

    A tuple is several parameters.
    """
    return [
        pytest.param(
            *(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.sampled(every)
        )
        for value in values
    ]


def todays(every: int, values: Sequence[T]) -> Sequence[T]:
    """One in ``every`` of the values, other ones each day."""
    return values[int(choose_day()) % every :: every]


def choose_day() -> str:
    """The day whose sample runs: the one that is asked for, or today."""
    return os.environ.setdefault(DAY, str(datetime.now(UTC).date().toordinal()))


def mark_sample(item: pytest.Item) -> None:
    """Mark a sampled test that does not run today as ``whole``, or as ``slow``.

    Tests of one module with the same parameters run on the same day: they share what is graded.
    """
    mark = item.get_closest_marker("sampled")
    if mark is None and "unhurried" in getattr(item, "fixturenames", ()):
        mark = EXPLANATION
    if mark is None:
        return
    every, whole = mark.args if len(mark.args) == 2 else mark.args * 2
    named = item.callspec.id if hasattr(item, "callspec") else item.nodeid
    turn = (crc32(named.encode()) + int(os.environ[DAY])) % every
    if turn >= whole:
        item.add_marker("slow")
    elif turn:
        item.add_marker("whole")
