"""Which checks that passed wait, because something is wrong on their own line."""

from __future__ import annotations

from typing import Any

import pytest

from grader.base.model import CheckResult, Diagnosis, Kind, Report, Status, Verdict
from grader.grading.doubted import doubted
from grader.rubric import Check, Failed, Rubric
from grader.source import Finding, parse

PROGRAM = """\
import math

class Layer:
    def __init__(self, width):
        self.scale = Linear(width, 3)

    def __call__(self, x, mask):
        size = len(x)
        root = math.sqrt(
            size
        )
        scaled = x / root
        if mask:
            scaled = scaled + mask
        masked = F.softmax(scaled)
        return masked
"""

LINES = {"makes": 5, "root": 9, "scaled": 12, "mask": 14, "softmax": 15}


def waiting(
    findings: dict[str, int], *, named: int | None = None, program: str = PROGRAM, **failed: Any
) -> set[str]:
    """The source checks that wait in a report with one ❌ of the run."""
    source = parse(program.encode(), "step_01.py")
    results = [CheckResult(name, Kind.SOURCE, Status.PASS, name) for name in findings]
    results.append(CheckResult("runs", Kind.RUNTIME, Status.FAIL, "wrong", **failed))
    checks = [
        Check(name, name, name, "Hint", "", test=lambda _: Finding(True)) for name in findings
    ]
    checks.append(Check("runs", "it runs", "it fails", "Hint", "", rule=lambda _: Failed()))
    told = (Diagnosis("name", "Wrong.", named),) if named else ()
    report = Report("s01", "T", "f", Verdict.FAIL, tuple(results), told)
    rubric = Rubric(tuple(checks), lambda _: (), ())
    found = {name: Finding(True, line) for name, line in findings.items()}
    after = doubted(report, rubric, source, found)
    assert after.verdict is report.verdict
    return {one.id for one in after.checks if one.status is Status.NOT_RUN}


@pytest.mark.parametrize(
    ("line", "wait"),
    [(5, {"makes"}), (10, {"root"}), (12, {"scaled"}), (13, {"mask"}), (15, {"softmax"})],
)
def test_a_tick_on_the_statement_that_raised_the_error_waits(line: int, wait: set[str]) -> None:
    assert waiting(LINES, line=line, stopped=True) == wait


def test_so_does_the_first_tick_on_what_needs_that_statement() -> None:
    assert waiting({"scaled": 12, "softmax": 15}, line=8, stopped=True) == {"scaled"}
    assert waiting({"mask": 14, "softmax": 15}, line=12, stopped=True) == {"mask"}
    assert waiting({"makes": 5}, line=8, stopped=True) == set()


def test_a_note_says_where_an_error_was_raised() -> None:
    raised = "The error was raised on line 12."
    assert waiting(LINES, line=8, note=raised, stopped=True) == {"root", "scaled"}
    assert waiting(LINES, line=5, note="It is used on line 12.", stopped=True) == {"scaled"}


def test_a_tick_waits_on_the_line_of_a_cross_of_the_run() -> None:
    assert waiting(LINES, line=5) == {"makes"}
    assert waiting({"scaled": 12}, line=8) == set()
    assert waiting({"head": 7}, line=7) == set()


def test_a_tick_waits_where_the_named_mistake_is() -> None:
    assert waiting(LINES, named=12) == {"scaled"}


DECORATED = """\
def twice():
    return 2

@twice()
def masked(x):
    return x

@dataclass
class Config:
    width: int
"""


@pytest.mark.parametrize(("line", "wait"), [(5, set())])
def test_a_tick_on_what_its_decorator_keeps_from_being_defined_waits(
    line: int, wait: set[str]
) -> None:
    lines = {"masked": 5, "class": 9, "other": 1}
    assert waiting(lines, program=DECORATED, line=line, stopped=True) == wait
