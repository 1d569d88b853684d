"""The course's GPT-2, recorded once and run by NumPy or compiled by MAX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gpt2.checkpoint import read_checkpoint
from gpt2.course import CourseSteps
from gpt2.decoding import DecodingGPT2
from gpt2.staging import Staged, stage
from gpt2.text_generation import SMALL


def loaded(folder: Path = SMALL) -> Any:
    """The model of step 12 with the weights in ``folder``; without one, what the course ships."""
    return CourseSteps(mine=False).build(*read_checkpoint(folder))


def runner(staged: Staged, kind: str) -> Any:
    """What runs a recorded graph: compiled code of ``max``, or ``numpy``."""
    if kind == "max":
        from gpt2.compiled import compile_graph

        return compile_graph(staged)
    from grader.frameworks.max.engine.replay import Replay

    return Replay(staged.whole, staged.arrays())


def recorded(model: Any, kind: str) -> Any:
    """The model with its ``decode`` as one graph."""
    staged = stage(model)
    return DecodingGPT2(model, runner(staged, kind), staged.piece)
