"""Finds what the course's author wrote about a step, in ``checks/``."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

from grader.base.model import Step
from grader.rubric.checks import Rubric
from grader.rubric.exhibit import Exhibits, LessonFigure


def rubric(step: Step) -> Rubric:
    """The rubric of ``step``, from ``checks/step_NN/rubric.py``."""
    loaded: Rubric = _module(step, f"checks.step_{step.number}.rubric").RUBRIC
    return loaded


def exhibits(step: Step) -> Exhibits | None:
    """What ``show`` draws of ``step``, from ``checks/shared/exhibits``; None where there is none."""
    if not (step.root / "checks" / "shared" / "exhibits").is_dir():
        return None
    found: Exhibits | None = _module(step, "checks.shared.exhibits").EXHIBITS.get(step.id)
    return found


def lesson_figures(step: Step) -> tuple[LessonFigure, ...]:
    """The figures in the lesson of ``step``, from ``checks/shared/exhibits/figures.py``."""
    figures = _module(step, "checks.shared.exhibits.figures").FIGURES
    found: tuple[LessonFigure, ...] = figures.get(step.id, ())
    return found


def _module(step: Step, name: str) -> ModuleType:
    """A module of the course, wherever that is."""
    root = str(step.root)
    if root not in sys.path:
        sys.path.insert(0, root)
    return importlib.import_module(name)
