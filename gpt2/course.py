"""The model as the course builds it: from the solutions, or from the learner's own steps."""

from __future__ import annotations

import hashlib
import importlib.abc
import importlib.util
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.base import course
from grader.base.model import Step
from grader.learner.stub import untouched
from grader.learner.tasks import task

LAST = "12"
"""The step that writes; the model is this step and what it imports."""

IMPORTED = re.compile(r"^from solutions\.solution_(\d\d) import", re.MULTILINE)


class StepProblem(ValueError):
    """One of the learner's steps is not written yet, or does not work."""


class OwnSteps(importlib.abc.MetaPathFinder):
    """Serves ``steps/step_NN.py`` under the name ``solutions.solution_NN``."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The learner's file for a solution's name."""
        number = name.removeprefix("solutions.solution_")
        if number == name or not number.isdecimal():
            return None
        return importlib.util.spec_from_file_location(name, course.find(number).stub)


class CourseSteps:
    """The steps as modules; ``mine`` takes the learner's files."""

    def __init__(self, *, mine: bool) -> None:
        """Import them. Prepare MAX first."""
        if mine:
            sys.meta_path.insert(0, OwnSteps())
        self._step_01 = importlib.import_module("solutions.solution_01")
        self._step_11 = importlib.import_module("solutions.solution_11")
        self._step_12 = importlib.import_module("solutions.solution_12")

    def build(self, fields: dict[str, Any], checkpoint: dict[str, Any]) -> Any:
        """A ``GPT2WithCache`` with the weights of a checkpoint."""
        from max.experimental import functional as F

        with F.lazy():  # do not draw random weights that are replaced at once
            model = self._step_12.GPT2WithCache(self._step_01.GPT2Config(**fields))
        model.load_state_dict(self._step_11.convert_checkpoint(model, checkpoint))
        return model

    def stream(self, model: Any, tokens: Sequence[int], count: int, **how: Any) -> Iterator[int]:
        """Step 12's ``stream``."""
        written: Iterator[int] = self._step_12.stream(model, tokens, count, **how)
        return written


def needed() -> list[str]:
    """The numbers of the steps that make up the model."""
    found: set[str] = set()
    waiting = [LAST]
    while waiting:
        number = waiting.pop()
        if number not in found:
            found.add(number)
            source = course.find(number).solution.read_text(encoding="utf-8")
            waiting += IMPORTED.findall(source)
    return sorted(found)


def require_written() -> None:
    """Check that the learner has started every needed step.

    Raises:
        StepProblem: says which to write first.
    """
    numbers = needed()
    blank = [number for number in numbers if not _written(course.find(number))]
    if blank:
        first = course.find(blank[0])
        raise StepProblem(
            f"With --mine your own steps {_listed(numbers)} make up the model. "
            f"Still blank: {_listed(blank)}.\n"
            f"Write step {first.number} first. Its lesson is {_relative(first.lesson)}, and "
            f"`{task(first.id)}` grades it."
        )


def _written(step: Step) -> bool:
    try:
        digest = hashlib.sha256(step.stub.read_bytes()).hexdigest()
        return not untouched(step, digest)
    except OSError as problem:
        raise StepProblem(
            f"{_relative(step.stub)} cannot be read: {problem.strerror}. "
            f"`{task(f'reset {step.id}')}` restores the file, with its blanks."
        ) from problem


def blame(error: Exception) -> StepProblem:
    """The same error, with the place in the learner's steps that raised it."""
    what = f"{type(error).__name__}: {str(error).strip() or 'no message'}"
    place = _place(error)
    if place is None:
        return StepProblem(
            f"Your steps do not make a working model. {what}\n`{task('check')}` grades all of them."
        )
    path, line, text = place
    number = path.stem.removeprefix("step_")
    return StepProblem(
        f"{_relative(path)}, line {line}: {text}\n{what}\n`{task(f's{number}')}` grades that step."
    )


def _place(error: Exception) -> tuple[Path, int, str] | None:
    """File, line and text of the deepest line of a learner's step."""
    steps = course.ROOT / "steps"
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        path = Path(error.filename)
        return (path, error.lineno, (error.text or "").strip()) if path.parent == steps else None
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path.parent == steps and frame.lineno is not None:
            return path, frame.lineno, frame.line or ""
    return None


def _relative(path: Path) -> str:
    return path.relative_to(course.ROOT).as_posix()


def _listed(numbers: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(numbers[:-1]), numbers[-1])))
