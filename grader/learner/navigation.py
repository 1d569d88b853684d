"""The way through the course: the state of a step, and which one comes next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from grader.learner.progress import CELL, UNTOUCHED, Progress, StepProgress
from grader.learner.stub import digest

if TYPE_CHECKING:
    from grader.base.model import Step


def state(step: Step, one: StepProgress) -> str:
    """Return ``passed``, ``edited`` since it passed, left for ``later``, ``started`` or ``new``."""
    if one.passes:
        same = digest(step.stub)[: len(one.digest)] == one.digest
        return "passed" if same or one.digest.startswith(CELL) else "edited"
    if one.later:
        return "later"
    return "started" if one.attempts else "new"


def next_step(steps: Sequence[Step], known: Progress) -> Step | None:
    """Return the step last worked on if it does not pass, else the first one after it.

    Steps left for later come last. None if all pass.
    """
    begun = [step for step in steps if known.get(step.id, UNTOUCHED).last]
    last = max(begun, key=lambda step: known[step.id].last or "", default=None)
    ahead = steps[steps.index(last) :] if last is not None else ()
    todo = [step for step in (*ahead, *steps) if not known.get(step.id, UNTOUCHED).passes]
    return next((step for step in todo if not left(step, known)), next(iter(todo), None))


def following(step: Step, steps: Sequence[Step], known: Progress, by: int = 1) -> Step | None:
    """Return the next step, or the previous one with ``by=-1``, skipping those left for later."""
    rest = steps[steps.index(step) + 1 :] if by > 0 else steps[: steps.index(step)][::-1]
    return next((other for other in rest if not left(other, known)), None)


def left(step: Step, known: Progress) -> bool:
    """Whether the step was left for later and has not passed since."""
    one = known.get(step.id, UNTOUCHED)
    return one.later and not one.passes
