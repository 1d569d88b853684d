"""Explains why a check exists, with text from the rubric and the lesson."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.base.model import Kind
from grader.learner import lesson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.base.model import Step
    from grader.rubric import Check, Rubric

MISTAKES = 4
"""How many known mistakes are listed; some checks catch dozens."""


def explain_page(step: Step, rubric: Rubric, check: Check) -> str:
    """Say what the check tests and why, which mistakes it catches, and where to read about it."""
    sentences = {one.id: one.passed for one in rubric.checks}
    lines = [f"# {step.id} {check.id}: {check.passed}", ""]
    lines += _why(step, check, check.lesson)
    lines += ["", *_looks_at(check, sentences)]
    if caught := [one.message for one in rubric.misconceptions if check in rubric.blamed(one)]:
        lines += ["", "Mistakes it recognises, for example:"]
        lines += [f"   {message}" for message in caught[:MISTAKES]]
    place = step.lesson.relative_to(step.root).as_posix()
    lines += ["", f'Read: {place}, "{check.lesson}"']
    return "\n".join(lines) + "\n"


def _why(step: Step, check: Check, heading: str) -> Iterator[str]:
    yield check.why
    about = "What you build" if heading == "Tasks" else heading
    if said := lesson.opening(step, about):
        yield f'The lesson says under "{about}": {said}'


def _looks_at(check: Check, sentences: dict[str, str]) -> Iterator[str]:
    if check.kind is Kind.SOURCE:
        yield "It reads your code and does not run it."
        yield (
            "If it does not recognise what you wrote but your numbers are right, it counts as "
            "passed, unless you ask for --strict."
        )
        return
    yield "It runs your code on new random inputs each time and checks what comes out."
    for need in check.needs:
        yield f"It waits for: {sentences[need]}"
