"""The teacher's commands."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.base.machine import cores
from grader.base.model import Step
from grader.classroom.export_formats import EACH, WHOLE
from grader.cli.bar import watched
from grader.cli.formats import machine_text
from grader.cli.options import (
    StepName,
    from_caller,
    points_option,
    strict_option,
    warn_of_other_version,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

    from grader.classroom.gradebook import Gradebook
    from grader.classroom.manifest import Manifest
    from grader.classroom.planning import Plan, Request

PLACE = click.Path(path_type=Path)
points_file = click.option(
    "--points", type=PLACE, help="TOML with other points than the usual 100."
)
policy_file = click.option(
    "--policy", type=PLACE, help="TOML with due dates, grace, deductions and extensions."
)


@click.command()
@click.argument("submissions", type=PLACE)
@click.option(
    "--step",
    "steps",
    type=StepName(),
    multiple=True,
    required=True,
    help="Which step; repeat it for several.",
)
@click.option("--out", type=PLACE, required=True, help="The folder to write everything to.")
@click.option("--roster", type=PLACE, help="CSV of the class: lists who is missing or unknown.")
@click.option("--any-roster", is_flag=True, help="Use the roster even if few of its names fit.")
@points_file
@policy_file
@click.option("--adjust", type=PLACE, help="CSV with a bonus or other points for some.")
@click.option(
    "--best-of",
    type=PLACE,
    multiple=True,
    metavar="OUT",
    help="The --out of an earlier hand-in, which counts where it was better; repeat it.",
)
@click.option("--workers", type=click.IntRange(1, 512), help="Processes; one per core by default.")
@click.option("--scheduler", help="Address of a Dask scheduler: grade on its workers.")
@click.option(
    "--for",
    "forms",
    type=click.Choice([*WHOLE, *EACH]),
    multiple=True,
    help="Also write this, for a platform or another program; repeat it for several.",
)
@click.option(
    "--column",
    "column",
    multiple=True,
    metavar="TITLE",
    help="The roster's column for the grades; repeat it for several steps: s05=TITLE.",
)
@click.option(
    "--again",
    multiple=True,
    metavar="NAME",
    help="Grade this person again, or everyone whose time ran out: timeouts.",
)
@click.option("--trust-submissions", "trusted", is_flag=True, help="Grade without confinement.")
@strict_option
def grade_class(workers: int | None, scheduler: str | None, **given: Any) -> None:
    """Grade a class: a folder or a zip file with everyone's files.

    Finished results are kept in the folder of --out. Stop it whenever you like: the same command
    resumes from there.
    """
    warn_of_other_version()
    with told():
        request = _request(**given)
        if request.roster is not None:
            click.echo(f"The roster's columns: {request.roster.columns.told()}.", err=True)
        failed = _grade(request, workers, scheduler)
    sys.exit(3 if failed else 0)


def _request(
    submissions: Path,
    steps: tuple[Step, ...],
    out: Path,
    roster: Path | None,
    points: Path | None,
    policy: Path | None,
    adjust: Path | None,
    best_of: tuple[Path, ...],
    column: tuple[str, ...],
    **others: Any,
) -> Request:
    """What the options ask for, with the files that they name read; ``others`` as they are."""
    from grader.classroom import grade_columns
    from grader.classroom import roster as rosters
    from grader.classroom.planning import Request
    from grader.report import policy as policies

    listed = rosters.read(from_caller(roster)) if roster else None
    chosen = tuple(sorted(set(steps), key=lambda step: step.id))
    titles = listed.header if listed else ()
    return Request(
        from_caller(submissions),
        chosen,
        from_caller(out),
        listed,
        points_option(points),
        adjust=from_caller(adjust) if adjust else None,
        best_of=tuple(map(from_caller, best_of)),
        columns=grade_columns.chosen(column, [step.id for step in chosen], titles),
        policy=policies.read(from_caller(policy)) if policy else policies.Policy(),
        **others,
    )


@contextmanager
def told() -> Iterator[None]:
    """Say what cannot be used, as wrong usage or as what the machine lacks."""
    from grader.base.files import Unusable

    try:
        yield
    except Unusable as problem:
        if problem.status == 2:
            raise click.UsageError(str(problem)) from None
        click.echo(f"Error: {problem}", err=True)
        sys.exit(problem.status)


@contextmanager
def _kept(out: Path) -> Iterator[None]:
    """Say what the machine refused, such as a full disk, and that nothing of value is lost."""
    from grader.base.files import Unusable

    try:
        yield
    except OSError as problem:
        where = problem.filename or out
        raise Unusable(
            f"The machine refused: {problem.strerror or problem} ({where}). What is finished is "
            f"kept in {out}. Fix that; the same command then resumes.",
            status=3,
        ) from None


def _grade(request: Request, workers: int | None, scheduler: str | None) -> int:
    """Grade the class and write everything; return how many the grader itself failed on."""
    from grader.base.files import Unusable
    from grader.classroom import exports, planning, rows, session, store, task
    from grader.classroom.manifest import Manifest

    planning.check(request)
    with _kept(request.out):
        why = "" if request.trusted or scheduler else task.unconfined()
    if why:
        raise Unusable(why, status=3)
    with planning.at_work(request.out), _kept(request.out):
        keep = store.Store(request.out / "results")
        written = Manifest(request.out, keep.folder)
        written.check(exports.names(request.forms, [step.id for step in request.steps]))
        with planning.planned(request, keep) as plan:
            for line in plan.meant:
                click.echo(line, err=True)
            if plan.open:
                executor, count = _workshop(plan, workers, scheduler)
                reports = session.graded(request, plan, keep, executor, count, here=not scheduler)
                watched(reports, len(plan.open), len(plan.names), request.out)
            book = rows.gradebook(request, plan)
        return _written(request.out, written, book, request.forms)


@click.command()
@click.argument("submissions", type=PLACE)
@click.option("--step", type=StepName(), required=True, help="Which step.")
@click.option("--roster", type=PLACE, help="CSV of the class: name people as it does.")
def similar(submissions: Path, step: Step, roster: Path | None) -> None:
    """List submissions that are equal except for names and layout, or nearly. Nothing is run."""
    import tempfile

    from grader.classroom import roster as rosters
    from grader.classroom.collect import collect
    from grader.classroom.similarity import groups, pairs

    with told(), tempfile.TemporaryDirectory(prefix="class-") as spool:
        collected = collect(from_caller(submissions), [step.id], Path(spool))
        listed = rosters.read(from_caller(roster)) if roster else None
        people = rosters.matched(collected.students, listed).people
        names = {person.student: person.name for person in people if person.student}
        answers = {
            f"{names[student]} ({answer.origin})": answer
            for (student, _), answer in collected.answers.items()
            if answer.digest
        }
        found, nearly = groups(step, answers), pairs(step, answers)
    broken = sum(not answer.shape for answer in answers.values())
    count = f"{len(answers)} submission{'s' * (len(answers) != 1)}"
    count += f" ({broken} not a Python program)" if broken else ""
    groups_of = f"{len(found)} group{'s' * (len(found) != 1)}"
    click.echo(f"{count}, {groups_of} equal except for names and layout.")
    for group in found:
        what = f", equal to {group.what}" if group.what else ""
        same = ", the same file" if group.same_bytes else ""
        click.echo(f"\n{len(group.people)} submissions{same}{what}:")
        for person in group.people:
            click.echo(f"  {person}")
    for pair in nearly:
        click.echo(f"\n2 submissions, {100 * pair.share:.0f} % of what is their own is the same:")
        for person in pair.people:
            click.echo(f"  {person}")


def _workshop(
    plan: Plan, workers: int | None, scheduler: str | None
) -> tuple[Callable[[], Executor], int]:
    """Where to grade, and on how many workers.

    Raises:
        Unusable: the cluster cannot be used.
    """
    from grader.classroom import executors

    if scheduler:
        return executors.cluster(scheduler, plan.fingerprint)
    count = min(workers or cores(), len(plan.open))
    return executors.local(count), count


def _written(out: Path, written: Manifest, book: Gradebook, forms: Sequence[str]) -> int:
    from grader.classroom import exports, platforms

    files = exports.files(book, forms, partial(machine_text, points=book.points))
    for line in written.replace(files):
        click.echo(line, err=True)
    rows = book.rows.values()
    count = dict.fromkeys(("pass", "fail", "timeout", "error", "missing"), 0)
    for row in rows:
        count[row.verdict] += 1
    said = ", ".join(f"{number} {verdict}" for verdict, number in count.items() if number)
    steps = f", {len(book.titles)} steps" if len(book.titles) > 1 else ""
    click.echo(f"{len(book.people)} people{steps}: {said}. See {out / 'class.html'}.")
    for person in book.unlisted():
        click.echo(f"Not on the roster: {person.name}", err=True)
    for name in book.skipped:
        click.echo(f"Left out: {name}", err=True)
    for remark in platforms.remarks(book, forms):
        click.echo(remark, err=True)
    return count["error"]
