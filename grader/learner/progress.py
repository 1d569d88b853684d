"""What the learner has done so far, in one small file that is rewritten atomically.

The file is ``.grader/progress.json`` in the course folder, which git ignores. Losing it costs the
learner only the attempt counts, so nothing here ever stops grading: if the file cannot be read or
written, there is a note to show.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from grader.base import locks
from grader.base.files import write_whole
from grader.base.model import CheckResult, Report, Status, Verdict

SCHEMA = "progress/v1"
FILE = ".grader/progress.json"
CELL = "cell:"
"""Prefix of the digest of a notebook's program: it is not that of the step's file."""
LOCK_S = 2.0
"""How long to wait for another process that is writing."""


@dataclass(frozen=True)
class Tried:
    """Attempts at one check, requested hints, and a short digest of how it last failed."""

    tries: int = 0
    asked: int = 0
    seen: str = ""


@dataclass(frozen=True)
class StepProgress:
    """Attempts at one step. Times are ISO 8601 in UTC; ``digest`` is the last graded file's.

    ``later``: the learner left the step for later; this counts until it passes.
    """

    attempts: int = 0
    score: int = 0
    best: int = 0
    of: int = 0
    passed: str | None = None
    last: str | None = None
    digest: str = ""
    checks: Mapping[str, Tried] = field(default_factory=dict)
    later: bool = False

    @property
    def passes(self) -> bool:
        """Whether the last graded file passed; ``passed`` is when one first did."""
        return self.of > 0 and self.score == self.of


Progress = Mapping[str, StepProgress]
"""Maps step ids to progress; a step without an entry is untouched."""

UNTOUCHED = StepProgress()


def attempted(before: StepProgress, report: Report) -> StepProgress:
    """Return ``before`` with one more attempt, whose result was ``report``.

    An unreadable file or an error of the grader is not an attempt. Neither is grading the same
    bytes again, but its result counts: the checks, or the earlier steps, may have changed. A
    failing check counts an attempt if it is the first to fail, or if it fails in a new way: an
    untouched blank further down does not count.
    """
    digest = report.digest[:16]
    passed = report.verdict is Verdict.PASS
    if report.problem or report.verdict is Verdict.ERROR:
        return before
    again = digest == before.digest
    if again and report.score == before.score and report.max_score == before.of:
        return before
    now = _now()
    failing = [check for check in report.checks if check.status is Status.FAIL]
    checks = dict(before.checks)
    for position, check in enumerate(failing):
        old, seen = checks.get(check.id, Tried()), _seen(check)
        counts = not again and (position == 0 or (bool(old.seen) and old.seen != seen))
        checks[check.id] = replace(old, tries=old.tries + counts, seen=seen)
    return StepProgress(
        before.attempts + (not again),
        report.score,
        max(report.score, before.best) if report.max_score == before.of else report.score,
        report.max_score,
        before.passed or (now if passed else None),
        now,
        digest,
        checks,
        later=before.later and not passed,
    )


def asked(before: StepProgress, check: str, level: int) -> StepProgress:
    """Return ``before`` with the hints of ``check`` requested up to ``level``."""
    old = before.checks.get(check, Tried())
    return replace(before, checks={**before.checks, check: replace(old, asked=level)})


def restarted(before: StepProgress) -> StepProgress:
    """Return ``before`` for a step that is started over; an earlier pass is kept."""
    return replace(UNTOUCHED, passed=before.passed, best=before.best, of=before.of)


def read(root: Path) -> tuple[Progress, str | None]:
    """Read the progress; also return a note for the learner if the file could not be used."""
    path = root / FILE
    try:
        return _parse(path.read_bytes()), None
    except FileNotFoundError:
        return {}, None
    except OSError as problem:
        return {}, f"Your progress could not be read from {FILE}: {problem.strerror}."
    except NewerSchema as problem:
        return {}, f"{FILE} was written by a newer course ({problem}); it is left unchanged."
    except ValueError:
        return {}, f"{FILE} is damaged. The next attempt sets it aside and starts a new one."


def update(
    root: Path, step: str, change: Callable[[StepProgress], StepProgress]
) -> tuple[StepProgress, str | None]:
    """Change the entry of ``step`` and write the file; return the new entry, and a note or None.

    Concurrent processes take turns, so that none loses what another wrote.
    """
    path = root / FILE
    note = None
    try:
        path.parent.mkdir(exist_ok=True)
        with _turn(path.with_suffix(".lock")):
            for left in path.parent.glob(f".{path.name}.*"):  # left by a killed process
                left.unlink(missing_ok=True)
            try:
                before = _parse(path.read_bytes())
            except FileNotFoundError:
                before = {}
            except NewerSchema:
                return change(UNTOUCHED), read(root)[1]
            except ValueError:
                before, note = {}, _set_aside(path)
            after = change(before.get(step, UNTOUCHED))
            if after != before.get(step, UNTOUCHED):
                write_whole(path, _text({**before, step: after}), durable=False)
        return after, note
    except OSError as problem:
        known = read(root)[0].get(step, UNTOUCHED)
        return change(known), f"Your progress is not kept: {problem.strerror} ({FILE})."


class NewerSchema(Exception):
    """The file has a schema unknown to this version."""


def _parse(data: bytes) -> dict[str, StepProgress]:
    """Return the entries of the file.

    Raises:
        NewerSchema: a later version wrote it.
        ValueError: it is not what this module writes.
    """
    try:
        found = json.loads(data)
        schema = found["schema"]
        if schema != SCHEMA and str(schema).startswith("progress/v"):
            raise NewerSchema(schema)
        if schema != SCHEMA:
            raise ValueError(schema)
        return {str(step): _step(entry) for step, entry in found["steps"].items()}
    except (KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise ValueError(str(problem)) from problem


def _step(entry: Mapping[str, Any]) -> StepProgress:
    checks = {str(name): Tried(**tried) for name, tried in entry["checks"].items()}
    step = StepProgress(**{**entry, "checks": checks})
    _typed(step, ("attempts", "score", "best", "of"), int)
    _typed(step, ("digest",), str)
    if not isinstance(step.later, bool):
        raise ValueError(f"later is {step.later!r}")
    _typed(step, ("passed", "last"), str | None)
    for tried in checks.values():
        _typed(tried, ("tries", "asked"), int)
        _typed(tried, ("seen",), str)
    return step


def _typed(entry: object, names: tuple[str, ...], kind: Any) -> None:
    """Raise ValueError if one of these fields has another type."""
    for name in names:
        value = getattr(entry, name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ValueError(f"{name} is {value!r}")


def _text(progress: Progress) -> str:
    steps = {name: asdict(step) for name, step in sorted(progress.items())}
    for step in steps.values():
        if not step["later"]:  # earlier versions refuse unknown fields
            del step["later"]
    return json.dumps({"schema": SCHEMA, "steps": steps}, indent=1) + "\n"


def _set_aside(path: Path) -> str:
    """Rename a damaged file; return a note on it."""
    aside = path.with_name(f"progress-damaged-{time.strftime('%Y%m%d-%H%M%S')}.json")
    path.replace(aside)
    return f"{FILE} was damaged. It is kept as {aside.name}, and your progress starts over."


@contextlib.contextmanager
def _turn(lock: Path) -> Iterator[None]:
    """Hold ``lock`` against other processes if the file system can; wait a limited time."""
    handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        locks.take(handle, LOCK_S)
        yield
    finally:
        os.close(handle)


def _seen(check: CheckResult) -> str:
    """Return a short digest of how a check failed."""
    words = f"{check.message}\n{check.text}\n{check.note}"
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:8]


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
