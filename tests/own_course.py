"""A course of one's own for tests that write: a copy, with the machine in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from grader.base.blanks import make_answer, make_stub
from grader.base.course import ROOT
from tests import ran

UNSET = ("NO_COLOR", "GRADER_PLAIN", "PIXI_PROJECT_ROOT", "INIT_CWD", "COLUMNS")
"""Variables that change what a command prints."""
FOLDERS = ("checks", "grader", "solutions", "steps")


@dataclass(frozen=True)
class Course:
    """The root of a copied course."""

    root: Path

    @property
    def progress(self) -> Path:
        return self.root / ".grader" / "progress.json"

    def file(self, number: str = "05") -> Path:
        return self.root / "steps" / f"step_{number}.py"

    def solve(self, number: str = "05") -> None:
        source = (self.root / "solutions" / f"solution_{number}.py").read_text(encoding="utf-8")
        self.file(number).write_text(make_answer(source), encoding="utf-8")

    def spoil(self, text: str, other: str, number: str = "05") -> None:
        """The solution with ``text`` replaced, saved as the learner's file."""
        source = (self.root / "solutions" / f"solution_{number}.py").read_text(encoding="utf-8")
        assert text in source
        self.file(number).write_text(source.replace(text, other), encoding="utf-8")

    def environment(self, **more: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name not in UNSET}
        return {**kept, "PYTHONPATH": str(self.root), "PYTHONUTF8": "1", **more}

    def run(self, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        how = {"cwd": self.root, "without": UNSET, "PYTHONPATH": str(self.root), **more}
        return ran.python("-m", "grader", *arguments, **how)

    def left(self, patience_s: float = 90) -> list[str]:
        """The processes of this course that run after a moment, and what its ``tmp`` holds."""
        limit = time.monotonic() + patience_s
        while (found := self._left()) and time.monotonic() < limit:
            time.sleep(0.05)
        return found

    def _left(self) -> list[str]:
        commands = (
            " ".join(process.info["cmdline"] or ())
            for process in psutil.process_iter(["cmdline"])
            if process.pid != os.getpid()
        )
        held = [path.name for path in (self.root / "tmp").glob("*")]
        return [*held, *(words for words in commands if str(self.root) in words)]


def copy_course(folder: Path) -> Course:
    """Copy what a grading needs; compiled modules too, so that the first run is quick."""
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "course.toml", folder)
    course = Course(folder)
    _write_stubs(course)
    return course


def begin_again(course: Course) -> Course:
    """The course as it was copied, for the next test: untouched stubs, and nothing else of anyone.

    What a test may not change stays: that is the machine, the solutions and the checks.
    """
    for path in course.root.iterdir():
        if path.name in (*FOLDERS, "course.toml") and path.name != "steps":
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    shutil.copytree(ROOT / "steps", course.root / "steps")
    _write_stubs(course)
    return course


def _write_stubs(course: Course) -> None:
    for solution in sorted((course.root / "solutions").glob("solution_*.py")):
        text = make_stub(solution.read_text(encoding="utf-8"))
        course.file(solution.stem[-2:]).write_text(text, encoding="utf-8")
