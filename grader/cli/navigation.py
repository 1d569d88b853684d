"""The commands on the way through the course: next, list, progress, skip, reset."""

from __future__ import annotations

import sys
from dataclasses import replace

import click

from grader.base import course
from grader.base.files import Unusable
from grader.base.model import Step
from grader.cli.options import StepName, plain_option, print_page, stdout_style
from grader.learner import progress


@click.command("next")
@plain_option
def next_(plain: bool) -> None:
    """Say which step to do next. Nothing stops you from doing another one."""
    from grader.learner import pages

    print_page(pages.next_page(course.steps(), known()), plain)


@click.command("list")
@plain_option
def list_(plain: bool) -> None:
    """List the steps, with how far each is done."""
    from grader.learner import pages

    print_page(pages.list_page(course.steps(), known(), stdout_style(plain)), plain)


@click.command("progress")
@plain_option
def progress_(plain: bool) -> None:
    """Say what you have done so far, and what was hard."""
    from grader.learner import pages

    print_page(pages.progress_page(course.steps(), known(), stdout_style(plain)), plain)


def known() -> progress.Progress:
    """What was done so far; a note on the file goes to standard error."""
    found, note = progress.read(course.ROOT)
    if note:
        click.echo(note, err=True)
    return found


@click.command()
@click.argument("step", type=StepName())
@click.option("--undo", is_flag=True, help="Take the step up again.")
@plain_option
def skip(step: Step, undo: bool, plain: bool) -> None:
    """Leave a step for later: `next`, `watch` and the desk pass over it until it passes."""
    from grader.learner import pages

    found = known().get(step.id, progress.UNTOUCHED)
    if found.passes and not undo:
        raise click.UsageError(f"Step {step.number} passes: there is nothing to leave for later.")
    _, note = progress.update(course.ROOT, step.id, lambda one: replace(one, later=not undo))
    if note:
        click.echo(note, err=True)
    print_page(pages.skipped_page(step, course.steps(), known()), plain)


@click.command()
@click.argument("step", type=StepName())
@plain_option
def reset(step: Step, plain: bool) -> None:
    """Start a step over: its file becomes the stub again. A copy of yours is kept."""
    from grader.learner.reset import reset as begin_again

    try:
        print_page(begin_again(step), plain)
    except Unusable as problem:
        click.echo(str(problem), err=True)
        sys.exit(problem.status)
