"""The worker that tries programs: each by itself, and all within their time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from grader import sandbox
from tests import worker_jobs

Start = Callable[..., sandbox.Worker]


@pytest.fixture(scope="module")
def start() -> Iterator[Start]:
    with sandbox.preforked() as function:
        yield function


RIGHT = "def f():\n    return 7\n"
ENDLESS = """
def f():
    while True:
        try:
            while True:
                pass
        except Exception:
            pass
"""


def _tries(*sources: str, seconds: float, start: Start) -> list[object]:
    """What ``f()`` gave in each of these programs, as far as they were tried."""
    probes = [
        replace(worker_jobs.call("f"), name=str(number), source=source)
        for number, source in enumerate(sources)
    ]
    asked = replace(worker_jobs.job("", *probes), seconds=seconds)
    with start(engine="numpy") as running:
        outcome = running.finish(asked)
    assert outcome.ended == "done"
    return [
        seen.error.type_name if seen.error else seen.results["out"]
        for seen in outcome.observations.values()
    ]


def test_each_program_is_tried_by_itself(start: Start) -> None:
    other = "f = lambda: 8\n"
    found = _tries(RIGHT, "def g(): pass\n", "def (", "1 / 0\n", other, seconds=5, start=start)
    assert found == [7, "MissingName", "SyntaxError", "ZeroDivisionError", 8]


def test_a_program_that_does_not_end_spoils_no_other(start: Start) -> None:
    assert _tries(ENDLESS, RIGHT, seconds=5, start=start) == ["Late", 7]


def test_a_brief_worker_tells_results_and_where_an_error_is(start: Start) -> None:
    source = "def f():\n    return 7\ndef g():\n    return 1 / 0\n"
    asked = worker_jobs.job(source, worker_jobs.call("f"), worker_jobs.call("g"))
    for brief in (False, True):
        with start(engine="numpy") as running:
            found = running.finish(replace(asked, brief=brief)).observations
        error = found["g"].error
        assert found["f"].results == {"out": 7}
        assert error is not None
        assert (error.type_name, error.line) == ("ZeroDivisionError", 4)
        assert bool(error.calls) is not brief


def test_the_time_of_all_programs_is_bounded(start: Start) -> None:
    found = _tries(ENDLESS, ENDLESS, ENDLESS, RIGHT, seconds=0.5, start=start)
    assert found == ["Late"] * 4
