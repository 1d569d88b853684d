"""A class from its files to its gradebook."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.base.files import Unusable
from grader.base.model import Report, Step, Verdict
from grader.classroom import reports, similar, store, work
from grader.classroom.adjust import NONE, adjustments
from grader.classroom.collect import Answer, Collected, collect
from grader.classroom.dispatch import run
from grader.classroom.gradebook import Gradebook, Row
from grader.classroom.roster import Roster, matched
from grader.classroom.submissions import shown
from grader.classroom.work import Task
from grader.grading.pipeline import Options
from grader.report.points import Number, Points

TIMEOUTS = "timeouts"
"""In ``Request.again``: everything whose time ran out."""


@dataclass(frozen=True)
class Request:
    """What the teacher asked for. ``any_roster``: even one with few of the names.

    ``again`` names people to grade again, or is ``timeouts``.
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


@dataclass(frozen=True)
class Plan:
    """What there is to do: ``names`` are the results needed, by what they grade."""

    collected: Collected
    spool: Path
    names: dict[tuple[str, str], str]
    kept: dict[str, Report]
    fingerprint: str
    secret: bytes = field(repr=False)

    @property
    def open(self) -> list[tuple[str, str]]:
        """Step and digest of what must still be graded, in order."""
        return [each for each, name in self.names.items() if name not in self.kept]


def check(request: Request) -> None:
    """Check both places before anything is written.

    Raises:
        Unusable: there are no submissions, or the results would be among them.
    """
    if not request.submissions.exists():
        raise Unusable(f"There is no folder or zip file {shown(str(request.submissions))}.")
    if request.out.resolve() == request.submissions.resolve():
        raise Unusable("--out contains the submissions. Name another folder for the results.")


@contextmanager
def at_work(out: Path) -> Iterator[None]:
    """Lock the results folder. The lock ends with the process, so none is ever stale.

    Raises:
        Unusable: another run uses it, or the folder cannot be made.
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
    """Everything that was handed in, read once, and which results already exist."""
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
    _check_roster(request, collected)  # before hours of grading, as what follows
    if request.adjust is not None:
        adjustments(request.adjust, matched(collected.students, request.roster).people, steps)
    again = _again(request, collected)
    fingerprint = store.fingerprint()
    secret = keep.secret()
    names: dict[tuple[str, str], str] = {}
    kept: dict[str, Report] = {}
    for (_, step), answer in collected.answers.items():
        if answer.digest and (step, answer.digest) not in names:
            options = _options(secret, step, answer.digest, request.strict)
            name = store.key(fingerprint, step, answer.digest, options)
            names[step, answer.digest] = name
            report = keep.load(name)
            late = TIMEOUTS in request.again and report and report.verdict is Verdict.TIMEOUT
            chosen = late or (step, answer.digest) in again
            if report is not None and report.step == step and not chosen:
                kept[name] = report
    return Plan(collected, spool, names, kept, fingerprint, secret)


def _again(request: Request, collected: Collected) -> set[tuple[str, str]]:
    """Step and digest of what is to be graded again, because its student is named."""
    everyone = matched(collected.students, request.roster).people
    found: set[tuple[str, str]] = set()
    for wanted in request.again:
        here = [
            person.student
            for person in everyone
            if person.student and wanted in (person.name, shown(person.student.key))
        ]
        if not here and wanted != TIMEOUTS:
            raise Unusable(f"--again: nobody called {wanted!r} has handed something in.")
        for (student, step), answer in collected.answers.items():
            if student in here:
                found.add((step, answer.digest))
    return found


def _check_roster(request: Request, collected: Collected) -> None:
    """Raise if the roster is probably that of another class."""
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


def _options(secret: bytes, step: str, digest: str, strict: bool) -> Options:
    return Options(seed=store.seed(secret, step, digest), strict=strict)


def graded(
    request: Request,
    plan: Plan,
    keep: store.Store,
    executor: Callable[[], Executor],
    workers: int,
) -> Iterator[Report]:
    """Grade what is open; yields each report once it is finished and kept.

    What ran out of time beside others is graded once more alone, so that no grade depends on
    what else ran. The grader's own failures are reports too, but are not kept: the next run tries
    again.

    Raises:
        Unusable: a machine must not grade: it has another grader, or cannot confine.
        OSError: a result cannot be written.
    """
    slow = []
    for each, report in _runs(request, plan, plan.open, executor, 2 * workers):
        if report.verdict is Verdict.TIMEOUT and workers > 1:
            slow.append(each)
        else:
            yield _kept(plan, keep, each, report)
    for each, report in _runs(request, plan, slow, executor, 1):
        yield _kept(plan, keep, each, report)


def _runs(
    request: Request,
    plan: Plan,
    todo: Sequence[tuple[str, str]],
    executor: Callable[[], Executor],
    at_once: int,
) -> Iterator[tuple[tuple[str, str], Report]]:
    """The reports on ``todo``, as they come."""
    if not todo:
        return
    tasks = ((each, _task(request, plan, *each)) for each in todo)
    for done in run(tasks, work.grade, executor, at_once):
        if isinstance(done.error, work.OtherGrader | work.Unconfined):
            raise Unusable(f"{done.error}. Finished results are kept.", status=3)
        yield done.key, reports.finished(done.key[0], done.result, done.error)


def _kept(plan: Plan, keep: store.Store, each: tuple[str, str], report: Report) -> Report:
    name = plan.names[each]
    if report.verdict is not Verdict.ERROR:
        keep.save(name, report)
    plan.kept[name] = report
    return report


def _task(request: Request, plan: Plan, step: str, digest: str) -> Task:
    data = (plan.spool / digest).read_bytes()
    options = _options(plan.secret, step, digest, request.strict)
    return Task(step, data, options, plan.fingerprint, request.trusted)


def gradebook(request: Request, plan: Plan) -> Gradebook:
    """Everyone's rows, in the order of the roster or of the names."""
    from grader.rubric import load

    found = matched(plan.collected.students, request.roster)
    everyone = found.people
    steps = [step.id for step in request.steps]
    adjusted = adjustments(request.adjust, everyone, steps) if request.adjust else {}
    rows: dict[tuple[str, str], Row] = {}
    for person in everyone:
        for step in request.steps:
            answer = (
                plan.collected.answers.get((person.student, step.id)) if person.student else None
            )
            if answer and person.late and len(request.steps) == 1:  # the worksheet is for one step
                answer = replace(answer, late=True)
            key = person.name, step.id
            report = _of(plan, step, answer)
            rows[key] = Row(answer, report, adjusted.get(key, NONE), _code(plan, answer))
    return Gradebook(
        titles={step.id: step.title for step in request.steps},
        people=everyone,
        rows=rows,
        points=request.points,
        sentences={
            step.id: [(check.id, check.passed) for check in load.rubric(step).checks]
            for step in request.steps
        },
        most=_most(request.steps, request.points),
        skipped=(
            *found.notes,
            *plan.collected.skipped,
            *(request.roster.notes if request.roster else ()),
        ),
        roster=request.roster is not None,
        possible=request.roster.possible if request.roster else {},
        similar=tuple(
            group for step in request.steps for group in similar.groups(step, _answers(rows, step))
        ),
        nearly=tuple(
            pair for step in request.steps for pair in similar.pairs(step, _answers(rows, step))
        ),
    )


def _answers(rows: Mapping[tuple[str, str], Row], step: Step) -> dict[str, Answer]:
    """The answers to one step, by person."""
    return {
        name: row.answer
        for (name, number), row in rows.items()
        if number == step.id and row.answer and row.answer.digest
    }


def _of(plan: Plan, step: Step, answer: Answer | None) -> Report | None:
    if answer is None or answer.instead:
        return None
    if not answer.digest:
        return reports.unread(step, answer)
    return plan.kept[plan.names[step.id, answer.digest]]


def _code(plan: Plan, answer: Answer | None) -> str:
    """The program, for people to read."""
    if answer is None or not answer.digest:
        return ""
    return (plan.spool / answer.digest).read_bytes().decode("utf-8", "replace")


def _most(steps: Sequence[Step], points: Points) -> dict[str, Number]:
    from grader.rubric import load

    return {
        step.id: points.most_of(step.id, [check.id for check in load.rubric(step).checks])
        for step in steps
    }
