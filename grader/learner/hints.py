"""Hints in levels: a nudge, the place in the lesson, nearly the answer, a graded change."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.learner.progress import StepProgress, Tried

NEXT_LEVEL = (3, 5, 8)
"""After this many attempts at a check, the second and the third hint are shown without a request,
and then the change of the learner's file that was graded."""


def level(tried: Tried) -> int:
    """Return how many hints to show: by attempts, or as many as were requested."""
    return max(1 + sum(tried.tries >= limit for limit in NEXT_LEVEL), tried.asked)


def shown(progress: StepProgress) -> Mapping[str, int]:
    """Map check ids to the number of hints to show."""
    return {name: level(tried) for name, tried in progress.checks.items()}
