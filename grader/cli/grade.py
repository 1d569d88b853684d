"""The commands that grade: one step, or all of them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader import course
from grader.cli.words import (
    STATUS,
    StepName,
    engine_option,
    from_caller,
    mine_option,
    seed_option,
    strict_option,
    unicode_out,
)
from grader.model import Step, Verdict

if TYPE_CHECKING:
    from grader.model import Report


@click.command()
@click.argument("step", type=StepName())
@click.option("--file", "path", type=click.Path(path_type=Path), help="Grade this file instead.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@click.option("--output", type=click.Path(path_type=Path), help="Write the report here.")
@click.option("--verbose", is_flag=True, help="Show the original error texts.")
@click.option("--hints", type=click.IntRange(1, 3), default=1, help="How many hints a check shows.")
@engine_option
@seed_option
@strict_option
@mine_option
def grade(
    step: Step,
    path: Path | None,
    form: str,
    output: Path | None,
    verbose: bool,
    hints: int,
    engine: str,
    seed: int | None,
    strict: bool,
    mine: bool,
) -> None:
    """Grade one step and print its report."""
    from grader.pipeline import Options, grade

    path, output = (given and from_caller(given) for given in (path, output))
    report = grade(step, path or step.stub, Options(engine, seed, strict, mine))
    if form == "json":
        from grader.report import as_json

        text = as_json.render(report)
    else:
        from grader.report import as_text

        plain = output is not None
        text = as_text.render(
            report, unicode=plain or unicode_out(), verbose=verbose, hint_level=hints
        )
    _deliver(text, output, coloured=form == "text")
    sys.exit(STATUS[report.verdict])


@click.command()
@engine_option
@seed_option
@strict_option
@mine_option
@click.option("--solutions", is_flag=True, help="Grade the reference solutions.")
def check(engine: str, seed: int | None, strict: bool, mine: bool, solutions: bool) -> None:
    """Grade every step and print one line each."""
    from grader.pipeline import Options, grade

    worst = 0
    for step in course.steps():
        report = grade(
            step, step.solution if solutions else step.stub, Options(engine, seed, strict, mine)
        )
        click.echo(_summary(report))
        worst = max(worst, STATUS[report.verdict])
    sys.exit(worst)


def _summary(report: Report) -> str:
    marks = (
        {Verdict.PASS: "✅", Verdict.ERROR: "⛔"}
        if unicode_out()
        else {Verdict.PASS: "[pass]", Verdict.ERROR: "[error]"}
    )
    mark = marks.get(report.verdict, "❌" if unicode_out() else "[FAIL]")
    first = next((c.message for c in report.checks if c.status.value == "fail"), "")
    problem = report.problem.message if report.problem else first
    said = f"  {problem}" if problem else ""
    return f"{mark} {report.step} {report.score:>2}/{report.max_score} {report.title}{said}"


def _deliver(text: str, output: Path | None, *, coloured: bool) -> None:
    if output is not None:
        from grader.files import write_whole

        try:
            write_whole(output, text)
        except OSError as problem:
            click.echo(
                f"The report could not be written to {output}: {problem.strerror}.", err=True
            )
            sys.exit(3)
        return
    if (
        coloured
        and sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and (os.environ.get("TERM") != "dumb")
    ):
        text = "".join(_painted(line) for line in text.splitlines(keepends=True))
    click.echo(text, nl=False)


def _painted(line: str) -> str:
    colours = {"✅": "green", "❌": "red", "➖": "bright_black", "⛔": "yellow", "   Hint:": "cyan"}
    for start, colour in colours.items():
        if line.startswith(start):
            return click.style(line, fg=colour)
    return line
