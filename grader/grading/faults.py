"""Decides whose fault a failure is: the program's, or that of the grader or the machine.

What the worker says about itself proves nothing, because the learner's code runs there: a file must
not talk itself out of a failure, and a fault of ours must not become one. So a doubtful outcome is
checked with something that no learner's file can touch. The step's reference solution is run the
same way. If it fails too, the machine is at fault. If not, the file has earned what happened to
it, with two exceptions, in which it is run once more: if part of the engine failed, with that
part left to the framework; if it ended as a busy machine may have made it end, as before.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from grader import frameworks, sandbox
from grader.base import course, sanitize
from grader.base.model import CheckResult, Kind, Report, Status, Step, Verdict
from grader.frameworks import version
from grader.isolation import rlimits

if TYPE_CHECKING:
    from grader.protocol.probe import Job, Outcome, SeenError
    from grader.rubric import Check
    from grader.sandbox import Worker

BROKEN_PARTS = frozenset(
    (
        "FileNotFoundError",
        "ImportError",
        "ModuleNotFoundError",
        "NameError",
        "OSError",
        "PermissionError",
        "SystemError",
        "UnboundLocalError",
    )
)
"""Errors that no caller of a framework deserves: raised inside it, they mean it is broken."""

AGAIN = "Grade it again. If it fails again, run doctor."
BUSY = "busy"
"""The id of a problem that what else ran may have caused."""
LESS = "Grade it again when the machine is less busy."


FRESH_S = 10.0
"""So long a right answer of the reference counts for the next files too."""

WAITED_S = sandbox.Limits().wall / 2
"""A program whose time ran out waited if it had the processor for less than this."""

PASSING = frozenset(("killed", "timeout"))
"""Endings that a machine may cause in one moment and not in the next."""

_right: dict[tuple[str, str], float] = {}
"""When each step's reference, by solution and engine, was last right in this process."""


def doubtful(outcome: Outcome) -> bool:
    """Whether an outcome that is not right may be the machine's fault."""
    return (
        outcome.ended != "done"
        or bool(outcome.faults)
        or any(_suspect(error) or _scarce(error) for error in _errors(outcome))
        or bool(version.mismatch(frameworks.current()))
    )


def passing(outcome: Outcome) -> bool:
    """Whether a machine may cause such an ending in one moment and not in the next.

    Somebody killed it, or it crashed; it waited for the processor; it was refused memory or a
    thread. A program can bring about any of these itself, but then it does so again.
    """
    if outcome.ended == "timeout":
        return outcome.spent < WAITED_S
    crashed = outcome.ended == "exit" and outcome.status is not None and outcome.status < 0
    return outcome.ended == "killed" or crashed or any(map(_scarce, _errors(outcome)))


def _scarce(error: SeenError) -> bool:
    return error.type_name == "MemoryError" or "can't start new thread" in error.message


def _suspect(error: SeenError) -> bool:
    inside = error.origin == "below" and error.type_name in BROKEN_PARTS
    return inside or error.origin == "grader"


def _errors(outcome: Outcome) -> list[SeenError]:
    found = [one.error for one in outcome.observations.values()] + [outcome.load_error]
    return [error for error in found if error is not None]


def reference_problem(
    step: Step,
    job: Job,
    doubted: Outcome,
    start: Callable[..., Worker],
    wrong: Callable[[Outcome], str],
) -> str:
    """How the step's solution fails on the same ``job``; empty if it is right.

    ``wrong`` says what is wrong with an outcome. Where only errors are in doubt, the solution is
    run where they were raised. Where many files fail in turn, it is not run for each.
    """
    key = (str(step.solution), job.engine)
    if doubted.ended not in PASSING and time.monotonic() - _right.get(key, -math.inf) < FRESH_S:
        return ""
    own = replace(
        job,
        file=step.solution.name,
        source=step.solution.read_text(encoding="utf-8"),
        modules=course.earlier_modules(step),
        without=(),
    )
    if few := _suspected(doubted):
        own = replace(own, probes=tuple(one for one in job.probes if one.name in few))
        wrong = _raised
    with start(engine=job.engine) as running:
        outcome = running.finish(own)
    problem = outcome.problem if outcome.ended == "machine" else wrong(outcome)
    if not problem and not few:
        _right[key] = time.monotonic()
    return problem


def _suspected(outcome: Outcome) -> frozenset[str]:
    """A trial for each error that may be ours; none where more than such errors is in doubt."""
    errors = _errors(outcome)
    whole = outcome.ended != "done" or outcome.faults or outcome.load_error is not None
    if whole or any(map(_scarce, errors)) or version.mismatch(frameworks.current()):
        return frozenset()
    found = {
        (one.error.type_name, one.error.message, one.error.line): one.probe
        for one in outcome.observations.values()
        if one.error is not None and _suspect(one.error)
    }
    return frozenset(found.values())


def _raised(outcome: Outcome) -> str:
    """The first error of an outcome, or how it ended; empty if all ran."""
    first = next(iter(_errors(outcome)), None)
    if first is not None:
        return f"{first.type_name}: {first.message}"
    return "" if outcome.ended == "done" else f"it ended with {outcome.ended}"


def once_more(job: Job, outcome: Outcome) -> Job | None:
    """The job to run again before the file is judged; None if the outcome counts.

    A program that may have forged what the engine says is not believed, and not run again.
    """
    if outcome.announced:
        return None
    if failed := _failed(outcome):
        return replace(job, without=failed)
    return job if passing(outcome) else None


def _failed(outcome: Outcome) -> tuple[str, ...]:
    """The parts of the engine that failed; the file may have claimed others."""
    known = frameworks.current().parts() if outcome.faults else ()
    return tuple(name for name in outcome.faults if name in known)


def left_to_framework(outcome: Outcome, without: Sequence[str] = ()) -> tuple[str, ...]:
    """A sentence on each thing that the engine left to the framework."""
    failed = dict.fromkeys((*without, *_failed(outcome)))
    title = frameworks.current().title
    own = (f"The grader's own {name} failed: {title} did it." for name in failed)
    return (*outcome.left, *own)


def of_ours(base: Report, step: Step, error: Exception) -> Report:
    """The report if the grader's own process failed."""
    import traceback

    from grader.rubric import load

    checks: Sequence[Check] = ()
    with suppress(Exception):  # the rubric may be what is broken
        checks = load.rubric(step).checks
    why = "The machine refused" if isinstance(error, OSError) else "The grader itself failed"
    return report(base, checks, why, "".join(traceback.format_exception(error)))


def _gist(detail: str) -> str:
    """The first line of the error that ends a traceback; for any other text the last line."""
    lines = detail.strip().splitlines()
    calls = [number for number, line in enumerate(lines) if line.startswith('  File "')]
    ends = (line for line in lines[calls[-1] :] if not line.startswith(" ")) if calls else ()
    return next(iter(ends), lines[-1] if lines else "")


def _again() -> str:
    """What to do about a fault of the machine or the grader."""
    given = rlimits.inherited(sandbox.Limits().address_space)
    if given is None:
        return AGAIN
    return (
        f"Programs here may use {given >> 20} MiB of address space (ulimit -v), which may be too "
        "little. Raise this limit and grade it again."
    )


def starved(base: Report, checks: Sequence[Check]) -> Report:
    """The report on a program whose time ran out while others had the processors."""
    why = "Other programs kept this machine too busy to run your file"
    return report(base, checks, why, busy=True)


def report(
    base: Report, checks: Sequence[Check], why: str, detail: str = "", *, busy: bool = False
) -> Report:
    """A report that says: the grader could not finish, it is not the learner's fault, do this.

    ``why`` is half a sentence, ``detail`` the text of an error, whose gist is quoted; ``busy``
    says that a busy machine may be the cause.
    """
    gist = sanitize.line(_gist(detail), 300)
    mismatch = version.mismatch(frameworks.current())
    problem = CheckResult(
        BUSY if busy else "machine",
        Kind.RUNTIME,
        Status.ERROR,
        f"{why}{f' ({gist})' if gist else ''}. This is not your mistake.",
        (f"{mismatch} {version.INSTALL}" if mismatch else LESS if busy else _again(),),
        detail=detail or None,
    )
    waiting = tuple(check.waiting("the grader can run your file") for check in checks)
    return replace(
        base, verdict=Verdict.ERROR, problem=problem, checks=waiting, diagnosis=(), excerpt=None
    )
