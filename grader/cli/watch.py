"""The command that grades at every save."""

from __future__ import annotations

import sys

import click

from grader.base.model import Step
from grader.cli.learner import current_step
from grader.cli.options import (
    StepName,
    engine_option,
    mine_option,
    plain_option,
    stdout_style,
    strict_option,
    warn_of_other_version,
)


@click.command()
@click.argument("step", type=StepName(), required=False)
@click.option(
    "--poll/--no-poll",
    default=None,
    help="Look at the file often, or trust the system's events. Without it, the file system "
    "decides.",
)
@engine_option
@strict_option
@mine_option
@plain_option
def watch(
    step: Step | None, poll: bool | None, engine: str, strict: bool, mine: bool, plain: bool
) -> None:
    """Grade STEP at every save of its file, and show the report in place."""
    from grader.grading.pipeline import Options
    from grader.learner.watch.loop import Watch
    from grader.learner.watch.terminal import Terminal

    warn_of_other_version()
    style = stdout_style(plain)
    with Terminal(in_place=not plain).taken() as terminal:
        Watch(
            step or current_step(), Options(engine, None, strict, mine), terminal, style, poll=poll
        ).run()
    sys.exit(0)
