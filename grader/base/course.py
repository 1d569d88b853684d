"""The course list: which steps exist, in which order, read from ``course.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path

from grader.base.model import Step

ROOT = Path(__file__).resolve().parents[2]


class UnknownStep(ValueError):
    """No step of the course has this name."""


def steps(root: Path = ROOT) -> tuple[Step, ...]:
    """Every step of the course, in order."""
    listed = tomllib.loads((root / "course.toml").read_text(encoding="utf-8"))["steps"]
    return tuple(Step(entry["id"], entry["title"], root) for entry in listed)


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
