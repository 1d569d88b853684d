"""Finds what the course's author wrote about a step, in ``checks/``."""

from __future__ import annotations

import importlib
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from types import ModuleType

from grader.base import blanks
from grader.base.model import Step
from grader.rubric.checks import Check, Rubric
from grader.rubric.exhibit import LessonFigure, MakeExhibit


def rubric(step: Step) -> Rubric:
    """The rubric of ``step``, from ``checks/step_NN/rubric.py``."""
    loaded: Rubric = _module(step, f"checks.step_{step.number}.rubric").RUBRIC
    return replace(loaded, checks=tuple(_answered(step, loaded)))


def exhibit(step: Step) -> MakeExhibit | None:
    """What ``show`` draws of ``step``; None if there is nothing to see."""
    made: MakeExhibit | None = getattr(_exhibit(step), "exhibit", None)
    return made


def figures(step: Step) -> tuple[LessonFigure, ...]:
    """The figures in the lesson of ``step``."""
    found: tuple[LessonFigure, ...] = getattr(_exhibit(step), "FIGURES", ())
    return found


def _answered(step: Step, rubric: Rubric) -> Iterator[Check]:
    """The checks, each with its blank and with the solution's lines as its last hint.

    Raises:
        LookupError: a check names a blank that no solution has.
    """
    own = blanks_of(step)
    for check in rubric.checks:
        blank = check.blank or (check.id if check.id in own else "")
        named = blank if ":" in blank or not blank else f"{step.id}:{blank}"
        yield replace(check, blank=blank, answer=check.answer or _lines(step, named))


def _lines(step: Step, named: str) -> str:
    """What the solution has in the blank called like ``s05:scale``, this step's or an earlier."""
    if not named:
        return ""
    other, _, blank = named.partition(":")
    lines = blanks_of(replace(step, id=other))[blank]
    return textwrap.dedent("\n".join(lines)).strip()


def blanks_of(step: Step) -> Mapping[str, tuple[str, ...]]:
    """The solution's lines of each blank of ``step``."""
    return _blanks_in(step.solution.read_text(encoding="utf-8"))


@lru_cache(maxsize=32)  # every check of a step asks for its own
def _blanks_in(source: str) -> Mapping[str, tuple[str, ...]]:
    return {region.name: region.solution for region in blanks.regions(source)}


def _exhibit(step: Step) -> ModuleType | None:
    """``checks/step_NN/exhibit.py``, if the step has one."""
    folder = f"step_{step.number}"
    there = (step.root / "checks" / folder / "exhibit.py").is_file()
    return _module(step, f"checks.{folder}.exhibit") if there else None


def _module(step: Step, name: str) -> ModuleType:
    """A module of the course, wherever the course is."""
    root = str(step.root)
    if root not in sys.path:
        sys.path.insert(0, root)
    return importlib.import_module(name)
