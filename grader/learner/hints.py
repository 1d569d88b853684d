"""Hints in three levels: a nudge, the place in the lesson, nearly the answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grader.base.model import LEVELS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.learner.progress import StepProgress, Tried
    from grader.rubric import Check, Rubric

NEXT_LEVEL = (3, 5)
"""After this many attempts at a check, the second and the third hint are shown unasked."""

_SECTION = re.compile(r'\s*\b[Ss]ee "([^"]+)"[^.]*\.?')


def level(tried: Tried) -> int:
    """How many hints to show: by attempts, or as many as were asked for."""
    return max(1 + sum(tried.tries >= limit for limit in NEXT_LEVEL), tried.asked)


def shown(progress: StepProgress) -> Mapping[str, int]:
    """Check id to the number of hints to show."""
    return {name: level(tried) for name, tried in progress.checks.items()}


def section(rubric: Rubric, check: Check) -> str:
    """The heading of the lesson's section on ``check``."""
    for hint in check.hints:
        if found := _SECTION.search(hint):
            return found[1]
    blaming = [one for one in rubric.misconceptions if one.lesson and check.id in one.blames]
    blaming.sort(key=lambda one: one.blames.index(check.id))
    if blaming and blaming[0].blames[0] == check.id:
        return blaming[0].lesson
    return rubric.lesson.get(check.id, "Tasks")


def reason(check: Check) -> str:
    """Why the check exists, in the rubric's words: the middle hint, or what it says."""
    middle = check.hints[1] if len(check.hints) == LEVELS else ""
    pointer = next((hint for hint in check.hints if _SECTION.search(hint)), middle)
    return check.why or _SECTION.sub("", pointer).strip(" ,;:")
