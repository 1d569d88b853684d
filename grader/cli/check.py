"""The command that grades every step."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.base import course
from grader.base.machine import at_once
from grader.base.model import Status, Step, Verdict
from grader.cli.formats import machine_text
from grader.cli.options import (
    STATUS,
    format_option,
    from_caller,
    grading_options,
    plain_option,
    points_option,
    print_page,
    stdout_style,
    warn_of_other_version,
)

if TYPE_CHECKING:
    from grader.base.model import Report
    from grader.grading.inputs import Drawn
    from grader.pipeline import Options
    from grader.report.style import Style


@click.command()
@grading_options
@click.option("--solutions", is_flag=True, help="Grade the reference solutions.")
@click.option("--started", is_flag=True, help="Leave out steps whose file is untouched.")
@format_option("text", "github", "lines")
@click.option(
    "--summary",
    type=click.Path(path_type=Path),
    help="Also append a table of the steps to this file, in Markdown.",
)
@plain_option
def check(
    solutions: bool, started: bool, form: str, summary: Path | None, plain: bool, **grading: Any
) -> None:
    """Grade every step and print one line each."""
    from grader.learner import attempt
    from grader.pipeline import Options

    warn_of_other_version()
    options, style = Options(**grading), stdout_style(plain)
    chosen = _chosen(solutions=solutions, started=started)
    reports = []
    for (step, path), report in zip(chosen, _each(chosen, options), strict=True):
        if path == step.stub:
            attempt.noted(step, report)
        if form == "text":
            print_page(_summary(report, style) + "\n", plain)
        else:
            click.echo(machine_text(form, report, points_option(None)), nl=False)
        reports.append(report)
    if summary is not None:
        _append(summary, reports)
    sys.exit(max((STATUS[report.verdict] for report in reports), default=0))


def _chosen(*, solutions: bool, started: bool) -> tuple[tuple[Step, Path], ...]:
    """Each step to grade, and its file."""
    steps = course.steps()
    if solutions:
        return tuple((step, step.solution) for step in steps)
    if not started:
        return tuple((step, step.stub) for step in steps)
    from grader.learner.stub import begun

    return tuple((step, path) for step in steps if (path := begun(step)) is not None)


def _append(path: Path, reports: Sequence[Report]) -> None:
    from grader.report import as_summary

    with from_caller(path).open("a", encoding="utf-8") as file:
        file.write(as_summary.render(reports))


def _each(chosen: Sequence[tuple[Step, Path]], options: Options) -> Iterator[Report]:
    """The report on each file, in order; one at a time per core."""
    from concurrent.futures import ThreadPoolExecutor

    from grader import frameworks, sandbox
    from grader.pipeline import grade

    count = at_once()
    compiles = options.engine in frameworks.current().compiling
    servers = sandbox.fork_servers(0 if compiles else count)
    with sandbox.WorkerPool(count, engine=options.engine, warm=False, fork_servers=servers) as pool:
        workers: list[sandbox.Running] = []

        def start(**settings: Any) -> sandbox.Running:
            workers.append(pool.start(**settings))
            return workers[-1]

        def report(one: tuple[Step, Path], drawn: Drawn | None) -> Report:
            return grade(*one, options, start, drawn=drawn)

        # Once, before the threads: NumPy cannot always be imported by two at the same time.
        importlib.import_module("numpy.random")
        with ThreadPoolExecutor(count) as threads:
            tasks = {}
            try:
                # While the framework is imported, which takes one core; the longest first.
                for one in reversed(chosen):
                    drawn = _ahead(one[0], options)
                    tasks[one[0].id] = threads.submit(report, one, drawn)
                for step, _ in chosen:
                    yield tasks[step.id].result()
            finally:  # after Ctrl-C, wait neither for the remaining steps nor for a long one
                for worker in workers:
                    worker.abandon()
                threads.shutdown(wait=True, cancel_futures=True)


def _ahead(step: Step, options: Options) -> Drawn | None:
    """The inputs of a step and what is expected of them; None if a grading has to say why not."""
    from grader.grading.inputs import draw
    from grader.rubric import load

    try:
        return draw(load.rubric(step), options.seed).calculate()
    except Exception:  # noqa: BLE001 - a rubric is the course's own code
        return None


def _summary(report: Report, style: Style) -> str:
    status = {Verdict.PASS: Status.PASS, Verdict.ERROR: Status.ERROR}
    mark = style.marks[status.get(report.verdict, Status.FAIL)]
    first = report.first_to_fix
    said = f"  {first.message}" if first is not None else ""
    return f"{mark} {report.step} {report.score:>2}/{report.max_score} {report.title}{said}"
