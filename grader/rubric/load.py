"""Finds what the course's author wrote about a step, in ``checks/``."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

from grader.base.model import Step
from grader.rubric.checks import Rubric
from grader.rubric.exhibit import LessonFigure, MakeExhibit


def rubric(step: Step) -> Rubric:
    """The rubric of ``step``, from ``checks/step_NN/rubric.py``."""
    loaded: Rubric = _module(step, f"checks.step_{step.number}.rubric").RUBRIC
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
    folder = f"step_{step.number}"
    there = (step.root / "checks" / folder / "exhibit.py").is_file()
    return _module(step, f"checks.{folder}.exhibit") if there else None


def _module(step: Step, name: str) -> ModuleType:
    """A module of the course, wherever that is."""
    root = str(step.root)
    if root not in sys.path:
        sys.path.insert(0, root)
    return importlib.import_module(name)
