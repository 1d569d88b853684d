"""Finds what the course's author wrote about a step, in ``checks/``."""

from __future__ import annotations

import importlib

from grader.base.model import Step
from grader.rubric.checks import Rubric
from grader.rubric.exhibit import Exhibits, LessonFigure


def rubric(step: Step) -> Rubric:
    """The rubric of ``step``, from ``checks/step_NN/rubric.py``."""
    loaded: Rubric = importlib.import_module(f"checks.step_{step.number}.rubric").RUBRIC
    return loaded


def exhibits(step: Step) -> Exhibits | None:
    """What ``show`` draws of ``step``; None where there is nothing to see."""
    found: Exhibits | None = importlib.import_module("checks.shared.exhibits").EXHIBITS.get(step.id)
    return found


def lesson_figures(step: Step) -> tuple[LessonFigure, ...]:
    """The figures in the lesson of ``step``, from ``checks/shared/exhibits/figures.py``."""
    found: tuple[LessonFigure, ...] = importlib.import_module(
        "checks.shared.exhibits.figures"
    ).FIGURES.get(step.id, ())
    return found
