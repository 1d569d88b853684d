"""Checks everything grading needs on this machine and says how to fix what is broken."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from grader import frameworks
from grader.base import course
from grader.frameworks import Framework, version
from grader.frameworks.version import INSTALL

if TYPE_CHECKING:
    from grader.report.style import Style

ROOM = 300 << 20
"""With fewer free bytes on the disk, grading may fail."""


class State(Enum):
    """The state of one thing. Only ``BROKEN`` prevents grading."""

    GOOD = "good"
    WEAK = "weak"
    BROKEN = "broken"


@dataclass(frozen=True)
class Inspection:
    """One thing that was checked, its state, and what to do about it."""

    name: str
    state: State
    said: str
    remedy: str = ""


def inspect_machine(style: Style) -> Iterator[Inspection]:
    """Inspect everything, from what all else depends on to what is merely convenient."""
    try:
        framework = frameworks.current()
    except (OSError, ValueError, KeyError, TypeError) as problem:
        said = f"course.toml: {_last(problem)}"
        yield Inspection("Course", State.BROKEN, said, "git restore course.toml")
        return
    yield _python(framework)
    packages = list(_packages(framework))
    yield from packages
    yield from _folders(framework)
    yield from _terminal(style)
    if any(one.state is State.BROKEN for one in packages):
        return
    yield (whole := _course())
    yield _progress()
    yield _prepared(framework)
    if whole.state is not State.BROKEN:
        yield (grading := _grading())
        if grading.state is State.GOOD:
            yield _isolation()


def render(inspections: list[Inspection], style: Style) -> str:
    """Return the results as text, with a remedy under each problem."""
    lines = []
    for one in inspections:
        lines.append(f"{_mark(one.state, style)} {one.name}: {one.said}")
        if one.state is not State.GOOD and one.remedy:
            lines.append(f"   Do: {one.remedy}")
    broken = sum(one.state is State.BROKEN for one in inspections)
    weak = sum(one.state is State.WEAK for one in inspections)
    lines.append("")
    if broken:
        lines.append(f"{broken} of these must be fixed before anything can be graded.")
    elif weak:
        lines.append(f"Grading works. {weak} of these could be improved.")
    else:
        lines.append("Everything works.")
    return style.text("\n".join(lines) + "\n")


def _mark(state: State, style: Style) -> str:
    if style.words:
        return {"good": "good:", "weak": "could be better:", "broken": "broken:"}[state.value]
    if not style.unicode:
        return {"good": "[good]", "weak": "[weak]", "broken": "[BROKEN]"}[state.value]
    return {"good": "✅", "weak": "🔸", "broken": "❌"}[state.value]


def _python(framework: Framework) -> Inspection:
    python = f"{sys.version.split()[0]} at {sys.executable}"
    if framework.newest_python and sys.version_info[:2] > framework.newest_python:
        newest = ".".join(map(str, framework.newest_python))
        said = f"{framework.title} supports Python up to {newest}."
        return Inspection("Python", State.WEAK, python, said)
    return Inspection("Python", State.GOOD, python)


def _packages(framework: Framework) -> Iterator[Inspection]:
    """Check the packages of the default environment, and the pinned version in pixi.toml."""
    try:
        manifest = tomllib.loads((course.HOME / "pixi.toml").read_text(encoding="utf-8"))
        wanted: dict[str, str] = manifest["pypi-dependencies"]
    except (OSError, ValueError, KeyError) as problem:
        yield Inspection("pixi.toml", State.BROKEN, f"cannot be read: {problem}", "git restore it.")
        return
    missing = [name for name in wanted if name != framework.pinned and _version(name) is None]
    if missing:
        yield Inspection("Packages", State.BROKEN, f"missing: {', '.join(missing)}", INSTALL)
    else:
        yield Inspection("Packages", State.GOOD, "all there")
    if not framework.pinned:
        return
    found, title = version.installed(framework.pinned), framework.title
    if found is None:
        yield Inspection(title, State.BROKEN, f"is not installed for {sys.executable}", INSTALL)
    elif version.mismatch(framework):
        pinned = version.pinned(framework.pinned)
        said = f"version {found}, but the grader is made for {pinned}"
        yield Inspection(title, State.BROKEN, said, INSTALL)
    else:
        yield Inspection(title, State.GOOD, found)


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _folders(framework: Framework) -> Iterator[Inspection]:
    """Check the folders we write to: for the worker, for compiled code, for the learner."""
    temporary = os.environ.get("TMPDIR") or "/tmp"  # noqa: S108 - looked at only
    yield _folder("Temporary folder", Path(temporary), State.BROKEN, "Set TMPDIR to a folder")
    if cache := framework.cache():
        grave = State.WEAK if framework.prepared() else State.BROKEN
        remedy = f"Set {framework.cache_variable} to a folder"
        yield _folder(f"{framework.title}'s cache", Path(cache), grave, remedy)
    steps = course.ROOT / "steps"
    yield _folder("Course folder", steps, State.WEAK, "Copy the course to a folder")


def _folder(name: str, folder: Path, grave: State, remedy: str) -> Inspection:
    remedy = f"{remedy} that you may write to and that has {ROOM >> 20} MB free."
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        with tempfile.NamedTemporaryFile(dir=place) as file:
            file.write(b"x" * 4096)
            file.flush()
        free = shutil.disk_usage(place).free
    except OSError as problem:
        said = f"{folder} cannot be written: {problem.strerror or problem}"
        return Inspection(name, grave, said, remedy)
    if free < ROOM:
        return Inspection(name, grave, f"{folder} has only {free >> 20} MB free", remedy)
    return Inspection(name, State.GOOD, f"{folder}, {free >> 30} GB free")


def _course() -> Inspection:
    """Check that every file of the course exists and can be read."""
    from grader.rubric import load

    steps = course.steps()
    for step in steps:
        for path in (step.solution, step.lesson):
            try:
                path.read_text(encoding="utf-8")
            except (OSError, ValueError) as problem:
                name = path.relative_to(step.root).as_posix()
                return Inspection("Course", State.BROKEN, _last(problem), f"git restore {name}")
        try:
            load.rubric(step)
        except Exception as problem:  # noqa: BLE001 - whatever a damaged file raises
            said = f"the checks of {step.id} cannot be loaded: {_last(problem)}"
            return Inspection("Course", State.BROKEN, said, "git restore checks grader solutions")
    return Inspection("Course", State.GOOD, f"{len(steps)} steps")


def _progress() -> Inspection:
    from grader.learner import progress

    known, note = progress.read(course.ROOT)
    if note is None:
        started = f"{len(known)} step{'' if len(known) == 1 else 's'} started"
        return Inspection("Progress", State.GOOD, started)
    remedy = f"{progress.FILE} holds only what you have passed and tried. You may delete it."
    return Inspection("Progress", State.WEAK, note, remedy)


def _last(problem: object) -> str:
    """Return the last line of an error or a traceback, which says what was wrong."""
    return (str(problem).strip().splitlines() or [type(problem).__name__])[-1]


def _terminal(style: Style) -> Iterator[Inspection]:
    if not style.unicode:
        encoding = getattr(sys.stdout, "encoding", None) or "none"
        remedy = "Set LANG=C.UTF-8 (or PYTHONUTF8=1) to see marks like ✅ and formulas."
        yield Inspection("Terminal", State.WEAK, f"its encoding is {encoding}, not UTF-8", remedy)
        return
    colour = "colours" if style.colour else "no colours"
    width = f"{style.width} columns" if style.width else "not a terminal"
    yield Inspection("Terminal", State.GOOD, f"UTF-8, {colour}, {width}")


def _prepared(framework: Framework) -> Inspection:
    """Check whether the framework imports quickly. The default engine does not need that."""
    if framework.prepared():
        return Inspection("Engine", State.GOOD, "prepared")
    try:
        framework.prepare()
    except RuntimeError as problem:
        return Inspection("Engine", State.WEAK, f"not prepared: {_last(problem)}")
    return Inspection(
        "Engine", State.GOOD, f"prepared now: {framework.title} compiled part of itself"
    )


def _grading() -> Inspection:
    """Grade the first step's solution as a learner's file is graded."""
    from grader.base.model import Verdict
    from grader.pipeline import grade

    step = course.steps()[0]
    report = grade(step, step.solution)
    if report.verdict is Verdict.PASS:
        said = f"works, {report.duration_s:.1f} s, {report.isolation}"
        return Inspection("Grading", State.GOOD, said)
    checks = (*((report.problem,) if report.problem else ()), *report.checks)
    said = next((c.message for c in checks if c.status.value != "pass"), "no check was run")
    remedy = f"{INSTALL} If the solutions were changed: git restore solutions checks grader"
    return Inspection(
        "Grading", State.BROKEN, f"the reference does not pass: {_last(said)}", remedy
    )


def _isolation() -> Inspection:
    from grader.isolation import tiers
    from grader.sandbox import launch

    offer = launch.offered()
    if offer.tier == "sandboxed":
        return Inspection("Isolation", State.GOOD, "sandboxed: every layer works")
    sees = f" {tiers.CONFINED_SEES}" if offer.tier == "confined" else ""
    said = f"{offer.tier}. {_last(offer.why)}{sees} Your own files are still safe to grade."
    return Inspection("Isolation", State.WEAK, said, offer.remedy)
