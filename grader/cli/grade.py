"""The command that grades one step."""

from __future__ import annotations

import importlib
import os
import sys
from dataclasses import replace
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import click

from grader.base import course
from grader.base.model import Step, Verdict
from grader.cli.formats import FORMATS, machine_text
from grader.cli.options import (
    STATUS,
    StepName,
    format_option,
    from_caller,
    grading_options,
    plain_option,
    points_option,
    print_page,
    stdout_style,
    warn_of_other_version,
)
from grader.report.style import Style, paint

if TYPE_CHECKING:
    from grader.base.model import Report
    from grader.learner.attempt import Attempt
    from grader.pipeline import Options


SHOWN = ("text", "lines")
"""Formats for the learner: gradings that count, and show the line where the numbers go wrong."""

MOST_CPU_S = 60.0
"""Seconds of processor time for the grader itself, which takes less than one."""


class Grade(click.Command):
    """``grade``, whose usage line names the step only where the task's name does not."""

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """The words after the command's name."""
        pieces = super().collect_usage_pieces(ctx)
        return pieces if ctx.info_name == "grade" else [one for one in pieces if one != "STEP"]


@click.command(cls=Grade)
@click.argument("step", type=StepName())
@click.option("--file", "path", type=click.Path(path_type=Path), help="Grade this file instead.")
@format_option("text", *FORMATS)
@click.option(
    "--points",
    "points_file",
    type=click.Path(path_type=Path),
    help="TOML with the points for each check, for the formats that have points.",
)
@click.option("--output", type=click.Path(path_type=Path), help="Write the report here.")
@click.option("--verbose", is_flag=True, help="Show the original error messages.")
@click.option("--brief", is_flag=True, help="Leave out what passed.")
@click.option(
    "--hints",
    type=click.IntRange(1, 3),
    help="How many hints each check shows. By default, your attempts decide.",
)
@plain_option
@grading_options
def grade(
    step: Step,
    path: Path | None,
    form: str,
    points_file: Path | None,
    output: Path | None,
    hints: int | None,
    plain: bool,
    engine: str,
    seed: int | None,
    strict: bool,
    mine: bool,
    **told: bool,
) -> None:
    """Grade one step and print its report."""
    from grader.pipeline import Follow, Options

    warn_of_other_version()
    path, output = (given and from_caller(given) for given in (path, output))
    points = points_option(points_file)
    options = Options(engine, seed, strict, mine, Follow.FAILING if form in SHOWN else Follow.NOT)
    path = path or step.stub
    own = form in SHOWN and output is None and path.resolve() == step.stub.resolve()
    report, found = _graded(step, path, options, own=own)
    if form == "lines":
        text = _to_editor(step, report, found)
    elif form in FORMATS:
        text = machine_text(form, report, points)
    elif found is not None:
        text = _to_learner(step, found, stdout_style(plain), told, hints)
    else:
        from grader.report import as_text

        style = Style(words=plain) if output else stdout_style(plain)
        text = as_text.render(report, style, hint_level=hints or 1, levels=None, **told)
    _hand_out(text, form, output, plain=plain)
    kept = form == "classroom50" and report.verdict is not Verdict.ERROR
    sys.exit(0 if kept else STATUS[report.verdict])  # Classroom 50 reads a failure in the file


def _graded(
    step: Step, path: Path, options: Options, *, own: bool
) -> tuple[Report, Attempt | None]:
    """The report on a file, which counts as an attempt if it is the learner's ``own``."""
    from grader import sandbox
    from grader.cli.alarm import processor_limit
    from grader.learner import attempt
    from grader.pipeline import grade

    with sandbox.preforked() as start:
        importlib.import_module("grader.report.as_text")  # while the worker imports the framework
        with processor_limit(MOST_CPU_S):
            report = grade(step, path, options, start)
        return report, attempt.noted(step, report) if own else None


def _to_learner(
    step: Step, found: Attempt, style: Style, told: dict[str, bool], hints: int | None
) -> str:
    """The report on the learner's own file: counted, with hints by attempts, and what is next.

    ``told`` are options of the report: verbose, brief.
    """
    from grader.learner import hints as levels
    from grader.learner import pages
    from grader.report import as_text

    report = found.report
    if found.note:
        click.echo(found.note, err=True)
    shown = levels.shown(found.known) if hints is None else {}
    text = as_text.render(found.report, style, hint_level=hints or 1, levels=shown, **told)
    if report.verdict is Verdict.PASS:
        text += "\n" + pages.after_pass(step, course.steps(), found, style)
    else:
        text += pages.next_hint(step, report)
        text += pages.on_one_screen(step, style) if _scrolls(text, style) else ""
    if report.verdict is Verdict.ERROR:
        text += f"\n{pages.after_error()}"
    return text


def _to_editor(step: Step, report: Report, found: Attempt | None) -> str:
    """A line for each ❌; on the learner's own file with hints by attempts."""
    from grader.learner import hints
    from grader.report import as_lines

    if found is not None and found.note:
        click.echo(found.note, err=True)
    if Path(os.environ.get("INIT_CWD") or step.root).resolve() != step.root:
        report = replace(report, file=str(step.root / report.file))  # for an editor elsewhere
    return as_lines.render(report, hints.shown(found.known) if found else {})


def _scrolls(text: str, style: Style) -> bool:
    """Whether the terminal, if there is one, does not show all of it."""
    rows = len(paint(text, style).splitlines())
    return style.width is not None and rows >= get_terminal_size().lines


def _hand_out(text: str, form: str, output: Path | None, *, plain: bool) -> None:
    """Write a report to ``output``, or print it."""
    from grader.base.files import write_whole

    if output is None and form in FORMATS:
        click.echo(text, nl=False)
    elif output is None:
        print_page(text, plain)
    else:
        try:
            write_whole(output, text)
        except OSError as problem:
            why = f"The report could not be written to {output}: {problem.strerror}."
            click.echo(why, err=True)
            sys.exit(3)
