"""The model as the course builds it: from the solutions, or from the learner's own steps."""

from __future__ import annotations

import hashlib
import importlib.abc
import importlib.util
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from grader.base import course
from grader.base.model import Step
from grader.learner import progress
from grader.learner.stub import untouched
from grader.learner.tasks import task

LAST = "12"
"""The step that writes; the model is this step and what it imports."""

Choose = Callable[..., int]
"""``next_token``: from logits to a token."""

IMPORTED = re.compile(r"^from solutions\.solution_(\d\d) import", re.MULTILINE)


class StepProblem(ValueError):
    """One of the learner's steps is not written yet, or does not work."""


class FromSource(SourceFileLoader):
    """Compiles a file anew each time: one saved twice in a second may look the same to Python."""

    def get_code(self, fullname: str) -> CodeType:
        """The code of the file as it is now."""
        return self.source_to_code(self.get_data(self.path), self.path)


class OwnSteps(importlib.abc.MetaPathFinder):
    """Serves ``steps/step_NN.py`` under the name ``solutions.solution_NN``."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The learner's file for a solution's name."""
        number = name.removeprefix("solutions.solution_")
        if number == name or not number.isdecimal():
            return None
        stub = course.find(number).stub
        return importlib.util.spec_from_loader(name, FromSource(name, str(stub)))


class CourseSteps:
    """The steps as modules; ``mine`` takes the learner's files."""

    def __init__(self, *, mine: bool) -> None:
        """Import them. Prepare MAX first."""
        if mine:
            _import_own()
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

    def choose_with(self, wrap: Callable[[Choose], Choose]) -> None:
        """Wrap ``next_token``, which ``stream`` calls for each token."""
        setattr(self._step_12, "next_token", wrap(self._step_12.next_token))  # noqa: B010

    def stream(self, model: Any, tokens: Sequence[int], count: int, **how: Any) -> Iterator[int]:
        """Step 12's ``stream``."""
        written: Iterator[int] = self._step_12.stream(model, tokens, count, **how)
        return written


def _import_own() -> None:
    """Import the learner's files from now on, those that were imported before too."""
    if not any(isinstance(finder, OwnSteps) for finder in sys.meta_path):
        sys.meta_path.insert(0, OwnSteps())
    for name in [name for name in sys.modules if name.startswith("solutions.solution_")]:
        del sys.modules[name]


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


def failing() -> list[Step]:
    """The needed steps whose file, as it is now, failed when it was graded last."""
    known, _ = progress.read(course.ROOT)
    steps = [course.find(number) for number in needed()]
    return [step for step in steps if step.id in known and _failed(step, known[step.id])]


def _failed(step: Step, known: progress.StepProgress) -> bool:
    digest = hashlib.sha256(step.stub.read_bytes()).hexdigest()
    return not known.passes and digest.startswith(known.digest or "-")


def _written(step: Step) -> bool:
    try:
        digest = hashlib.sha256(step.stub.read_bytes()).hexdigest()
        return not untouched(step, digest)
    except OSError as problem:
        raise StepProblem(
            f"{_relative(step.stub)} cannot be read: {problem.strerror}. "
            f"`{task(f'reset {step.id}')}` restores the file, with its blanks."
        ) from problem


def blame(error: BaseException) -> StepProblem:
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


def _place(error: BaseException) -> tuple[Path, int, str] | None:
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
