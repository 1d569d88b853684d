"""The model as the course builds it: from the solutions, or from the learner's own steps."""

from __future__ import annotations

import importlib.abc
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


class OwnSteps(importlib.abc.MetaPathFinder):
    """Serves ``steps/step_NN.py`` under the name ``solutions.solution_NN``."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The learner's file for a solution's name."""
        number = name.removeprefix("solutions.solution_")
        if number == name or not number.isdecimal():
            return None
        return importlib.util.spec_from_file_location(name, ROOT / "steps" / f"step_{number}.py")


class CourseSteps:
    """The steps as modules; ``mine`` takes the learner's files."""

    def __init__(self, *, mine: bool) -> None:
        """Import them. MAX must be prepared before."""
        if mine:
            sys.meta_path.insert(0, OwnSteps())
        self._step_01 = importlib.import_module("solutions.solution_01")
        self._step_11 = importlib.import_module("solutions.solution_11")
        self._step_12 = importlib.import_module("solutions.solution_12")

    def build(self, fields: dict[str, Any], checkpoint: dict[str, Any]) -> Any:
        """A ``GPT2WithCache`` with the weights of a checkpoint."""
        from max.experimental import functional as F

        with F.lazy():  # random weights that are replaced at once need not be drawn
            model = self._step_12.GPT2WithCache(self._step_01.GPT2Config(**fields))
        model.load_state_dict(self._step_11.convert_checkpoint(model, checkpoint))
        return model

    def stream(self, model: Any, tokens: Sequence[int], count: int, **how: Any) -> Iterator[int]:
        """Step 12's ``stream``."""
        written: Iterator[int] = self._step_12.stream(model, tokens, count, **how)
        return written
