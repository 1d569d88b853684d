"""The command that serves the book and the learner's files in a browser."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from grader.base import course
from grader.base.files import Unusable
from grader.base.model import Step
from grader.cli.learner import current_step
from grader.cli.options import (
    StepName,
    engine_option,
    from_caller,
    mine_option,
    strict_option,
    warn_of_other_version,
)


@click.command()
@click.argument("step", type=StepName(), required=False)
@click.option("--port", type=click.IntRange(0, 65535), help="Listen on this port; 0 takes any.")
@click.option("--browser/--no-browser", default=True, help="Open a browser, if there is one.")
@click.option("--at", "public", default="", help="The address at which a proxy serves the desk.")
@click.option(
    "--book",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Serve this built book.",
)
@click.option(
    "--poll/--no-poll",
    default=None,
    help="Poll the files or wait for system events. The default depends on the file system.",
)
@engine_option
@strict_option
@mine_option
def desk(
    step: Step | None,
    port: int | None,
    browser: bool,
    public: str,
    book: Path | None,
    poll: bool | None,
    engine: str,
    strict: bool,
    mine: bool,
) -> None:
    """Serve the book in a browser, with your file beside each lesson, until Ctrl-C."""
    from grader.learner.desk.serve import Settings, serve
    from grader.pipeline import Follow, Options

    warn_of_other_version()
    options = Options(engine, None, strict, mine, follow=Follow.ALWAYS)
    settings = Settings(port, browser, public, book and from_caller(book), poll)
    try:
        serve(step or current_step(), course.steps(), options, settings)
    except Unusable as problem:
        click.echo(str(problem), err=True)
        sys.exit(problem.status)
    sys.exit(0)
