"""Bring every generated file up to date with the solutions, and never lose a learner's work.

The stub in ``steps/`` is the file that the learner edits. ``steps/stubs.sha256`` has the digest
of each stub as it was last generated, ``steps/stubs.earlier.sha256`` those of the stubs that it
replaced. A file that is neither that stub nor the new one is
somebody's work: it is kept, unless ``force`` is given, and then a copy is kept.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from grader.base import course
from grader.base.blanks import EARLIER, RegionProblem, make_stub
from grader.base.files import write_whole
from grader.base.model import Step, Verdict
from grader.learner.stub import MANIFEST, back_up, read_manifest
from tools.sync import blocks, figures

if TYPE_CHECKING:
    from grader import sandbox

Start = Callable[..., "sandbox.Running"]

REPORT_SEED = 1
"""The seed of the reports in the lessons, so that they stay the same."""


class SyncProblem(ValueError):
    """Something that no generator can fix: a missing file, a broken marker."""


class State(Enum):
    """How a generated file compares with what it should contain."""

    SAME = "same"
    STALE = "stale"
    EDITED = "edited"


@dataclass(frozen=True)
class Generated:
    """A file, what it should contain, and what it contains now (None: it does not exist).

    ``stub`` separates the files that a learner edits from those that only `sync` writes.
    """

    path: Path
    text: str
    now: bytes | None
    stub: bool = False
    digest: str | None = None

    @property
    def state(self) -> State:
        """Whether the file is right, may be replaced, or contains somebody's work."""
        if self.now == self.text.encode():
            return State.SAME
        if self.stub and self.now is not None and _digest(self.now) != self.digest:
            return State.EDITED
        return State.STALE

    @property
    def conflict(self) -> bool:
        """Whether somebody's work blocks a stub that has changed since."""
        return self.state is State.EDITED and _digest(self.text.encode()) != self.digest


def sync(root: Path, *, check: bool = False, force: bool = False, reports: bool = True) -> int:
    """Write what is generated: stubs, tasks, the figures and reports in the lessons.

    ``check`` writes nothing. ``force`` replaces edited stubs too, and keeps a copy of each
    under ``.grader/backups``. ``reports`` False leaves out the reports, which take a grading
    of every stub and every solution.

    Returns:
        The exit status: 0 if all is up to date at the end, else 1. Kept work counts only if the
        stub under it has changed, or with ``check``.
    """
    try:
        generated = plan(root, reports=reports)
        lines = list(_compare(root, generated) if check else _write(root, generated, force=force))
    except (SyncProblem, OSError) as problem:
        print(f"sync: {problem}")
        return 1
    print("\n".join(lines) if lines else "Everything is up to date.")
    if check:
        return int(bool(lines))
    return int(not force and any(one.conflict for one in generated))


def plan(root: Path, *, reports: bool = True) -> tuple[Generated, ...]:
    """Every generated file of the course at ``root``, with what it should contain.

    Raises:
        SyncProblem: naming the file, if solutions, course list, markers or reports are not
            as they must be.
        OSError: a file cannot be read.
    """
    if not reports:
        return _plan(root, None)
    from grader import sandbox

    with sandbox.WorkerPool(1) as pool:
        return _plan(root, pool.start)


def _earlier(root: Path, digests: Mapping[str, str], manifest: str) -> str:
    """The digests of the stubs that were replaced, so that a class knows who never wrote one."""
    path = root / "steps" / EARLIER
    known = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    gone = [f"{digest}  {name}" for name, digest in digests.items() if digest not in manifest]
    return "".join(f"{line}\n" for line in dict.fromkeys([*known, *gone]))


def _plan(root: Path, start: Start | None) -> tuple[Generated, ...]:
    """The same, with workers from ``start``; without it the reports stay as they are."""
    steps = course.steps(root)
    _paired(root, steps)
    digests = read_manifest(root)
    stubs = [_stub(step, digests) for step in steps]
    manifest = "".join(f"{_digest(one.text.encode())}  {one.path.name}\n" for one in stubs)
    plans = [*stubs, _generated(root / "steps" / MANIFEST, manifest), _tasks(root, steps)]
    if earlier := _earlier(root, digests, manifest):
        plans.append(_generated(root / "steps" / EARLIER, earlier))
    for step, stub in zip(steps, stubs, strict=True):
        drawn = figures.blocks(step)
        plans += [_generated(one.path, one.content) for one in drawn if one.path is not None]
        plans.append(_lesson(step, drawn, stub.text, start))
    return tuple(plans)


def _paired(root: Path, steps: tuple[Step, ...]) -> None:
    """Every step of the course has its files, and every solution its step."""
    if not steps:
        raise SyncProblem("course.toml lists no step.")
    for step in steps:
        for path in (
            step.solution,
            step.lesson,
            root / "checks" / f"step_{step.number}" / "rubric.py",
        ):
            if not path.is_file():
                raise SyncProblem(
                    f"course.toml lists {step.id}, but {path.relative_to(root)} is missing."
                )
    listed = {step.solution.name for step in steps}
    for path in sorted((root / "solutions").glob("solution_*.py")):
        if path.name not in listed:
            number = path.stem.removeprefix("solution_")
            raise SyncProblem(
                f"{path.relative_to(root)} exists, but course.toml does not list s{number}."
            )


def _stub(step: Step, digests: dict[str, str]) -> Generated:
    try:
        text = make_stub(step.solution.read_text(encoding="utf-8"))
    except (RegionProblem, UnicodeDecodeError) as problem:
        raise SyncProblem(f"{step.solution.relative_to(step.root)}: {problem}") from problem
    return Generated(
        step.stub, text, _now(step.stub), stub=True, digest=digests.get(step.stub.name)
    )


def _tasks(root: Path, steps: tuple[Step, ...]) -> Generated:
    path = root / "pixi.toml"
    markers = blocks.TASKS_START, blocks.TASKS_END
    return _generated(path, _with_block(path, _text(path), markers, blocks.tasks(steps)))


def _lesson(
    step: Step, drawn: Iterable[figures.Block], stub: str, start: Start | None
) -> Generated:
    """The lesson with its figures and, if there are workers, its reports."""
    text = _text(step.lesson)
    for one in drawn:
        text = _with_block(step.lesson, text, one.markers, one.body)
    if start is not None:
        text = _with_reports(step, text, stub, start)
    return _generated(step.lesson, text)


def _with_reports(step: Step, text: str, stub: str, start: Start) -> str:
    """The lesson with the reports that the stub and the solution really get."""
    with tempfile.TemporaryDirectory() as folder:
        untouched = Path(folder, step.stub.name)
        untouched.write_text(stub, encoding="utf-8")
        failed = _report(step, untouched, Verdict.FAIL, start)
    passed = _report(step, step.solution, Verdict.PASS, start)
    for outcome, report in (("failed", failed), ("passed", passed)):
        markers = blocks.report_markers(outcome)
        text = _with_block(step.lesson, text, markers, blocks.fenced(report))
    return text


def _report(step: Step, path: Path, expected: Verdict, start: Start) -> str:
    from grader.pipeline import Options, grade
    from grader.report import as_text

    report = grade(step, path, Options(seed=REPORT_SEED), start)
    if report.verdict is not expected:
        what = "solution" if expected is Verdict.PASS else "stub"
        raise SyncProblem(
            f"The {what} of {step.id} should get the verdict {expected.value!r},"
            f" but it got {report.verdict.value!r}. Its report:\n{as_text.render(report)}"
        )
    return as_text.render(report)


def _compare(root: Path, generated: Iterable[Generated]) -> Iterator[str]:
    """What is out of date, in words."""
    for one in generated:
        name = one.path.relative_to(root)
        if one.state is State.EDITED:
            yield f"{name} is not the stub that its solution generates: it was edited."
        elif one.state is State.STALE:
            yield f"{name} is not what would be generated. Run: pixi run sync"


def _write(root: Path, generated: Iterable[Generated], *, force: bool) -> Iterator[str]:
    """Write what may be written, and say what was done."""
    for one in generated:
        name = one.path.relative_to(root)
        if one.state is State.SAME:
            continue
        if one.state is State.EDITED:
            if not force:
                yield f"Kept {name}: it is your own work. --force replaces it (after a backup)."
                continue
            yield f"Kept a copy of {name} as {back_up(root, one.path).relative_to(root)}."
        if _now(one.path) != one.now and not force:
            yield f"Kept {name}: it was saved at this very moment. Run sync again."
            continue
        one.path.parent.mkdir(exist_ok=True)
        write_whole(one.path, one.text)
        yield f"Wrote {name}."


def _with_block(path: Path, text: str, markers: tuple[str, str], body: str) -> str:
    try:
        return blocks.replace_block(text, markers, body)
    except blocks.BlockProblem as problem:
        raise SyncProblem(f"{path.name}: {problem}") from problem


def _generated(path: Path, text: str) -> Generated:
    return Generated(path, text, _now(path))


def _text(path: Path) -> str:
    now = _now(path)
    if now is None:
        raise SyncProblem(f"{path.name} is missing.")
    try:
        return now.decode()
    except UnicodeDecodeError as problem:
        raise SyncProblem(f"{path.name} is not UTF-8.") from problem


def _now(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
