"""The mistakes that learners really make, by name: settings of the oracles' knobs.

A rubric takes a family and says which of its own checks each mistake breaks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.rubric import Misconception

Row = tuple[str, str, dict[str, Any], str]
"""Id, sentence, knobs, and the part of the program that it breaks."""


INSTEAD = frozenset(
    (
        "returns-input",
        "returns-zeros",
        "returns-ones",
        "returns-mean",
        "block-input",
        "mask-zero-times-inf",
    )
)
"""Results from no computation, or without a number, which show nothing of its parts."""


def named(
    rows: tuple[Row, ...], blames: Mapping[str, tuple[str, ...]], lesson: Mapping[str, str]
) -> tuple[Misconception, ...]:
    """The misconceptions of ``rows``, blaming this rubric's checks for each part."""
    return tuple(
        Misconception(id, message, knobs, blames[part], lesson.get(part, ""), id in INSTEAD)
        for id, message, knobs, part in rows
    )
