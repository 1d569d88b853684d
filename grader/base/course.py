"""The course: which steps exist, in which order, and what it is written in (``course.toml``)."""

from __future__ import annotations

import ast
import os
import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from grader.base.model import Step

HOME = Path(__file__).resolve().parents[2]
"""The grader's folder, with its tools and their settings."""

VARIABLE = "GRADER_COURSE"
ROOT = Path(os.environ.get(VARIABLE) or HOME).resolve()
"""The course that this process grades: by default the one that contains the grader."""


NAME = re.compile(r"(?:(?:steps/)?step[ _]?|s)?([0-9]{1,9})(?:\.py)?")
"""What people call a step; group 1 is its number."""


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
    return _told(root, (root / "course.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=8)
def _told(root: Path, text: str) -> Course:
    told = tomllib.loads(text)
    slug = told["slug"]
    listed = tuple(
        Step(entry["id"], entry["title"], root, slug, tuple(entry.get("reuses", ())))
        for entry in told["steps"]
    )
    return Course(slug, told["framework"], told.get("configuration", ""), listed)


def steps(root: Path = ROOT) -> tuple[Step, ...]:
    """Every step of the course, in order."""
    return load(root).steps


def find(name: str, root: Path = ROOT) -> Step:
    """The step called ``name``: ``s05``, ``s5``, ``5``, ``step_05.py``.

    Raises:
        UnknownStep: with the names that exist.
    """
    said = NAME.fullmatch(name.strip().lower())
    every = steps(root)
    for step in every:
        if said is not None and step.number.lstrip("0") == said[1].lstrip("0"):
            return step
    known = ", ".join(step.id for step in every)
    raise UnknownStep(f"There is no step {name!r}. The steps are {known}.")


def earlier_modules(step: Step, *, mine: bool = False) -> dict[str, tuple[str, str]]:
    """What the learner's file of ``step`` may import from ``solutions``.

    That is what the step's own reference imports, what the step ``reuses``, and what these
    modules need in turn: no other solution may be there to borrow from. What is in the folder
    ``given`` beside the step's rubric stands in for the course's own modules. Returns module name
    to ``(file name, source)``. ``mine`` serves the learner's own files under the same names.
    """
    earlier = {_module(other): other for other in steps(step.root) if other.number < step.number}
    wanted = [*_imported(step.solution.read_text(encoding="utf-8"))]
    wanted += [_module(other) for other in earlier.values() if other.id in step.reuses]
    modules: dict[str, tuple[str, str]] = {}
    while wanted:
        name = wanted.pop()
        if name in modules or name not in earlier:
            continue
        path = earlier[name].stub if mine else earlier[name].solution
        source = path.read_text(encoding="utf-8")
        modules[name] = path.relative_to(step.root).as_posix(), source
        wanted += _imported(source)
    given = step.root / "checks" / step.stub.stem / "given"
    for path in given.rglob("*.py"):
        name = ".".join(path.relative_to(given).with_suffix("").parts)
        modules[name] = path.relative_to(step.root).as_posix(), path.read_text(encoding="utf-8")
    return dict(sorted(modules.items()))


def _module(step: Step) -> str:
    """The name under which other files import the solution of ``step``."""
    return f"solutions.{step.solution.stem}"


@lru_cache(maxsize=32)  # a class imports the same few
def _imported(source: str) -> tuple[str, ...]:
    """The full name of everything that a file imports; nothing for a file that is no Python."""
    return tuple(_imports(source))


def _imports(source: str) -> Iterator[str]:
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):  # a learner's own file
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module is not None:
                yield node.module
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
