"""Finds what the course's author wrote about a step, in ``checks/``."""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType

from grader.base.model import Step
from grader.rubric.checks import Rubric
from grader.rubric.exhibit import LessonFigure, MakeExhibit


def rubric(step: Step) -> Rubric:
    """The rubric of ``step``, from ``checks/step_NN/rubric.py``."""
    loaded: Rubric = importlib.import_module(f"checks.step_{step.number}.rubric").RUBRIC
    return loaded


def exhibit(step: Step) -> MakeExhibit | None:
    """What ``show`` draws of ``step``; None where there is nothing to see."""
    made: MakeExhibit | None = getattr(_exhibit(step), "exhibit", None)
    return made


def figures(step: Step) -> tuple[LessonFigure, ...]:
    """The figures in the lesson of ``step``."""
    found: tuple[LessonFigure, ...] = getattr(_exhibit(step), "FIGURES", ())
    return found


def _exhibit(step: Step) -> ModuleType | None:
    """``checks/step_NN/exhibit.py``, where the step has one."""
    name = f"checks.step_{step.number}.exhibit"
    return importlib.import_module(name) if importlib.util.find_spec(name) else None
