"""What a teacher requested, what was handed in for it, and which results are needed."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.base.files import Unusable
from grader.base.model import Report, Step, Verdict
from grader.classroom import grade_columns, store
from grader.classroom.adjustments import NONE, Adjustment, earlier, read_adjustments
from grader.classroom.collect import Collected, collect
from grader.classroom.deadlines import Deadlines
from grader.classroom.file_tree import shown
from grader.classroom.roster import Person, Roster, by_name, matched, meant, only
from grader.pipeline import Options
from grader.report.points import Number, Points
from grader.report.policy import Policy

TIMEOUTS = "timeouts"
"""In ``Request.again``: everything that ran out of time."""


@dataclass(frozen=True)
class Request:
    """What the teacher requested. ``any_roster``: even a roster with few of the names.

    ``again`` names people to grade again, or is ``timeouts``. ``best_of`` are the folders of runs
    on earlier submissions. ``columns`` are the roster's columns that the teacher named for steps,
    and ``forms`` the additional exports.
    """

    submissions: Path
    steps: tuple[Step, ...]
    out: Path
    roster: Roster | None = None
    points: Points = field(default_factory=Points)
    strict: bool = False
    trusted: bool = False
    any_roster: bool = False
    again: tuple[str, ...] = ()
    adjust: Path | None = None
    best_of: tuple[Path, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    forms: tuple[str, ...] = ()
    policy: Policy = field(default_factory=Policy)


@dataclass(frozen=True)
class Plan:
    """What there is to do: ``names`` are the needed results, by what they grade.

    ``again`` are those of ``names`` that exist but are graded again, ``meant`` says whom the
    teacher's options name.
    """

    collected: Collected
    spool: Path
    names: dict[tuple[str, str], str]
    kept: dict[str, Report]
    fingerprint: str
    secret: bytes = field(repr=False)
    again: frozenset[tuple[str, str]] = frozenset()
    meant: tuple[str, ...] = ()

    @property
    def open(self) -> list[tuple[str, str]]:
        """Return step and digest of what must still be graded, in order."""
        return [each for each, name in self.names.items() if name not in self.kept]


def check(request: Request) -> None:
    """Check both folders, and the columns for the grades, before anything is written.

    Raises:
        Unusable: there are no submissions, or the results would be among them, or several columns
            of the roster may be meant.
    """
    if not request.submissions.exists():
        raise Unusable(f"There is no folder or zip file {shown(str(request.submissions))}.")
    if request.out.resolve() == request.submissions.resolve():
        raise Unusable("--out contains the submissions. Name another folder for the results.")
    columns = request.roster.header if request.roster else ()
    for step in request.steps:
        for form in sorted(grade_columns.COLUMN_OF.keys() & set(request.forms)):
            if step.id not in request.columns:
                grade_columns.COLUMN_OF[form](columns, step.id, step.title)


@contextmanager
def at_work(out: Path) -> Iterator[None]:
    """Lock the results folder. The lock ends with the process, so it is never stale.

    Raises:
        Unusable: another run uses it, or the folder cannot be created.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        lock = os.open(out / ".lock", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as problem:
        raise Unusable(f"The folder {out} cannot be written: {problem.strerror}.") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise Unusable(f"Another run uses {out}. Wait for it, or name another folder.") from None
    try:
        yield
    finally:
        os.close(lock)


@contextmanager
def planned(request: Request, keep: store.Store) -> Iterator[Plan]:
    """Read everything that was handed in, once, and find which results already exist."""
    spool = request.out / ".submissions"
    shutil.rmtree(spool, ignore_errors=True)  # left by a killed run
    spool.mkdir()
    try:
        yield _plan(request, keep, spool)
    finally:
        shutil.rmtree(spool, ignore_errors=True)


def _plan(request: Request, keep: store.Store, spool: Path) -> Plan:
    steps = [step.id for step in request.steps]
    collected = collect(request.submissions, steps, spool, request.out)
    _check_roster(request, collected)  # like the checks below, before hours of grading
    people = matched(collected.students, request.roster).people
    dates = deadlines(request, people)
    if until := dates.until():
        collected = collect(request.submissions, steps, spool, request.out, until)
    by_hand = adjusted(request, people)
    named = _again(request, people)
    again = {
        (step, answer.digest)
        for (student, step), answer in collected.answers.items()
        if any(student == person.student for person in named.values())
    }
    fingerprint = store.fingerprint()
    secret = keep.secret()
    names: dict[tuple[str, str], str] = {}
    kept: dict[str, Report] = {}
    late: dict[str, str] = {}
    for (student, step), answer in collected.answers.items():
        if answer.digest and (step, answer.digest) not in names:
            how = options(secret, step, answer.digest, request.strict)
            name = store.key(fingerprint, step, answer.digest, how)
            names[step, answer.digest] = name
            report = keep.load(name)
            if TIMEOUTS in request.again and report and report.verdict is Verdict.TIMEOUT:
                again.add((step, answer.digest))
                late |= {each.name: each.name for each in people if each.student == student}
            if report and report.step == step and (step, answer.digest) not in again:
                kept[name] = report
    called = {each.who: name for (name, _), each in by_hand.items() if each.who}
    said = [meant("--again", {who: each.name for who, each in named.items()})] if named else []
    said += [meant("--again timeouts", late)] if late else []
    said += [meant(request.adjust.name, called)] if request.adjust else []
    return Plan(
        collected, spool, names, kept, fingerprint, secret, frozenset(again), (*dates.notes, *said)
    )


def deadlines(request: Request, people: Sequence[Person]) -> Deadlines:
    """Return everyone's deadlines."""
    steps = [step.id for step in request.steps]
    return Deadlines(request.policy, people, steps, listed=request.roster is not None)


def _again(request: Request, people: Sequence[Person]) -> dict[str, Person]:
    """Return the people to grade again, by the names that the teacher uses."""
    here = [person for person in people if person.student]
    called = by_name(here)
    found: dict[str, Person] = {}
    for wanted in request.again:
        if (fitting := called(wanted)) or wanted != TIMEOUTS:
            nobody = "nobody called {!r} has handed something in"
            found[wanted] = only(fitting, wanted, here, "--again", nobody)
    return found


def _check_roster(request: Request, collected: Collected) -> None:
    """Raise an error if the roster is probably that of another class."""
    if request.roster is None or request.any_roster:
        return
    found = matched(collected.students, request.roster)
    if not found.fits:
        there = sum(person.listed and person.student is not None for person in found.people)
        raise Unusable(
            f"Only {there} of the {len(collected.students)} who handed something in are on the "
            f"roster. Its columns were read as {request.roster.columns.told()}. If it is the right "
            "one, pass --any-roster."
        )


def options(secret: bytes, step: str, digest: str, strict: bool) -> Options:
    """Return the options, with the seed that this content has in this class."""
    return Options(seed=store.seed(secret, step, digest), strict=strict)


def adjusted(request: Request, people: Sequence[Person]) -> dict[tuple[str, str], Adjustment]:
    """Return what else affects the points, by person's name and step.

    Raises:
        Unusable: a file with adjustments cannot be used.
    """
    steps = [step.id for step in request.steps]
    found = read_adjustments(request.adjust, people, steps) if request.adjust else {}
    most = most_of(request)
    for folder in request.best_of:
        for key, points in earlier(folder, people, most).items():
            now = found.get(key, NONE)
            if now.least is None or points > now.least:
                found[key] = replace(now, least=points, before=shown(folder.name))
    return found


def most_of(request: Request) -> dict[str, Number]:
    """Return the maximum points of each step."""
    from grader.rubric import load

    return {
        step.id: request.points.most_of(step.id, [check.id for check in load.rubric(step).checks])
        for step in request.steps
    }
