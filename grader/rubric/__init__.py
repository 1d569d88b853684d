"""The words in which an author says what a step asks: checks, trials, rules, exhibits."""

from __future__ import annotations

from grader.rubric.checks import (
    Check,
    Failed,
    Misconception,
    NotRun,
    Passed,
    Rubric,
    Rule,
    Ruling,
    SourceTest,
    runtime_check,
    source_check,
)
from grader.rubric.evidence import Evidence, Expect, Floats, State, Trial

__all__ = [
    "Check",
    "Evidence",
    "Expect",
    "Failed",
    "Floats",
    "Misconception",
    "NotRun",
    "Passed",
    "Rubric",
    "Rule",
    "Ruling",
    "SourceTest",
    "State",
    "Trial",
    "runtime_check",
    "source_check",
]
