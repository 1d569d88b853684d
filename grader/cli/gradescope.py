"""The commands for Gradescope: one makes its archive, and one is called by what is in it."""

from __future__ import annotations

from pathlib import Path

import click

from grader.base.model import Step
from grader.cli.formats import machine_text
from grader.cli.options import StepName, from_caller, points_option
from grader.cli.teach import PLACE, points_file, policy_file, told


@click.command()
@click.argument("step", type=StepName())
@click.option("--out", type=PLACE, default=Path("autograder.zip"), help="Where to write it.")
@points_file
@policy_file
def autograder(step: Step, out: Path, points: Path | None, policy: Path | None) -> None:
    """Make the autograder.zip of a step, for Gradescope.

    It contains the grader. Gradescope installs the rest once, when it builds the image.
    """
    from grader.base.files import write_whole
    from grader.classroom.autograder import build
    from grader.report import policy as policies

    points_option(points)
    given = from_caller(points).read_bytes() if points else b""
    dates = b""
    if policy:
        with told():
            found = policies.read(from_caller(policy))
        if step.id not in found.rules:
            raise click.UsageError(f"{policy} says nothing about {step.id}.")
        if found.free_days:
            click.echo(
                "Gradescope does not know who has free days left: they do not count.", err=True
            )
        dates = from_caller(policy).read_bytes()
    try:
        write_whole(from_caller(out), build(step, given, dates))
    except OSError as problem:
        raise click.UsageError(f"{out} cannot be written: {problem.strerror}.") from None
    click.echo(f"{out} is ready: upload it as the autograder of a programming assignment.")


@click.command(hidden=True)
@click.argument("step", type=StepName())
@click.argument("submission", type=PLACE)
@points_file
@policy_file
@click.option("--metadata", type=PLACE, default=Path("submission_metadata.json"))
@click.option("--output", type=PLACE, required=True)
def autograde(
    step: Step,
    submission: Path,
    points: Path | None,
    policy: Path | None,
    metadata: Path,
    output: Path,
) -> None:
    """Grade what Gradescope put into a folder, and write its results.json."""
    from datetime import UTC, datetime

    from grader.base.files import write_whole
    from grader.classroom import gradescope_policy
    from grader.classroom.reports import grade_one
    from grader.report import policy as policies

    dates = policies.read(policy) if policy else policies.Policy()
    given, now = gradescope_policy.read(metadata), datetime.now(UTC)
    if refused := gradescope_policy.refused(dates, step.id, given, now):
        write_whole(output, refused)
        click.echo(f"{step.id}: not graded, because only the first submissions count")
        return
    report = grade_one(submission, step)
    results = machine_text("gradescope", report, points_option(points))
    write_whole(output, gradescope_policy.applied(results, dates, step.id, given, now))
    click.echo(f"{report.step}: {report.verdict.value}, {report.score} of {report.max_score}")
