"""The course: which steps exist, in which order, and what it is written in (``course.toml``)."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

from grader.base.model import Step

HOME = Path(__file__).resolve().parents[2]
"""The grader's folder, with its tools and their settings."""

VARIABLE = "GRADER_COURSE"
ROOT = Path(os.environ.get(VARIABLE) or HOME).resolve()
"""The course that this process grades: by default the one that contains the grader."""


class UnknownStep(ValueError):
    """No step of the course has this name."""


@dataclass(frozen=True)
class Course:
    """What ``course.toml`` says.

    ``slug`` is its name for other programs. ``framework`` is the name of a folder of
    ``grader/frameworks``. ``configuration`` is the class that a ``ConfigArg`` stands for, as
    ``module:class``; empty if the course has none.
    """

    slug: str
    framework: str
    configuration: str
    steps: tuple[Step, ...]


def load(root: Path = ROOT) -> Course:
    """The course in this folder.

    Raises:
        OSError, ValueError, KeyError, TypeError: its ``course.toml`` cannot be read, or lacks
            something.
    """
    told = tomllib.loads((root / "course.toml").read_text(encoding="utf-8"))
    slug = told["slug"]
    listed = tuple(Step(entry["id"], entry["title"], root, slug) for entry in told["steps"])
    return Course(slug, told["framework"], told.get("configuration", ""), listed)


def steps(root: Path = ROOT) -> tuple[Step, ...]:
    """Every step of the course, in order."""
    return load(root).steps


def find(name: str, root: Path = ROOT) -> Step:
    """The step called ``name``: ``s05``, ``05`` or ``5``.

    Raises:
        UnknownStep: with the names that exist.
    """
    number = name.strip().lower().removeprefix("step_").removeprefix("s")
    every = steps(root)
    for step in every:
        if number.isdecimal() and step.number == number.zfill(2):
            return step
    known = ", ".join(step.id for step in every)
    raise UnknownStep(f"There is no step {name!r}. The steps are {known}.")


def earlier_modules(step: Step, *, mine: bool = False) -> dict[str, tuple[str, str]]:
    """What the learner's file of ``step`` may import from ``solutions``.

    Returns module name to ``(file name, source)`` of every earlier step. ``mine`` serves the
    learner's own files under the same names.
    """
    modules = {}
    for other in steps(step.root):
        if other.number >= step.number:
            break
        path = other.stub if mine else other.solution
        modules[f"solutions.solution_{other.number}"] = (
            path.relative_to(step.root).as_posix(),
            path.read_text(encoding="utf-8"),
        )
    return modules
