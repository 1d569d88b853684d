"""From a question of a notebook to its answer, in the grader's own process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from grader import frameworks, sandbox
from grader.base import course
from grader.base.model import Verdict
from grader.cli.alarm import processor_limit
from grader.cli.grade import MOST_CPU_S
from grader.frameworks import version
from grader.learner import attempt
from grader.notebook import page
from grader.notebook.messages import Answer
from grader.pipeline import Follow, Options, grade
from grader.source.notebook import graded_cell

if TYPE_CHECKING:
    from grader.base.model import Step
    from grader.learner.attempt import Attempt
    from grader.notebook.messages import Question


def answer(question: Question) -> Answer:
    """Do what the notebook asks."""
    step = course.find(question.step)
    cell = graded_cell(question.first, question.code)
    options = Options(
        seed=question.seed, strict=question.strict, mine=question.mine, follow=Follow.FAILING
    )
    with sandbox.preforked() as start, processor_limit(MOST_CPU_S):
        if question.ask == "trace":
            return _traced(step, options, start, cell, question)
        found = attempt.attempt(step, options, start, cell)
        if question.ask == "hint":
            return _hinted(step, found, question.check)
    found = replace(found, note=_notes(found))
    runs = found.report.loaded and found.report.verdict in (Verdict.PASS, Verdict.FAIL)
    return page.report(step, found, loaded=runs)


def _traced(
    step: Step,
    options: Options,
    start: Callable[..., sandbox.Running],
    cell: bytes,
    question: Question,
) -> Answer:
    followed = replace(options, follow=Follow.ALWAYS)
    report = grade(step, attempt.place(step, cell), followed, start, cell)
    return page.trace(report, f"{question.first}\n{question.code}")


def _hinted(step: Step, found: Attempt, check: str) -> Answer:
    known = [one.id for one in found.report.checks]
    if check and check not in known:
        return page.words(f"{step.id} has no check {check!r}. It has {', '.join(known)}.\n")
    found = attempt.one_more_hint(step, found, check or None)
    return page.hint(step, found, check or None)


def _notes(found: Attempt) -> str | None:
    """What to say before the report: another version of the framework, trouble with progress."""
    mismatch = version.mismatch(frameworks.current())
    said = [f"{mismatch} {version.INSTALL}" if mismatch else "", found.note or ""]
    return " ".join(filter(None, said)) or None
