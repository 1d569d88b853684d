"""The progress of grading a class."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from grader.base.model import Report


def watched(reports: Iterable[Report], todo: int, whole: int, out: Path) -> None:
    """Show the progress. Ctrl-C ends it at once; finished results are kept."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    done = whole - todo
    if done:
        click.echo(f"{done} of {whole} are already graded.", err=True)
    columns = (TextColumn("Grading"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    try:
        with Progress(*columns, console=Console(stderr=True)) as bar:
            line = bar.add_task("", total=todo)
            for _ in reports:
                done += 1
                bar.advance(line)
    except KeyboardInterrupt:
        _stop(f"Stopped: {done} of {whole} are graded and kept in {out}. The same command resumes.")


def _stop(message: str) -> NoReturn:
    """End at once, with every process we started."""
    from grader.classroom import executors

    click.echo(message, err=True)
    executors.end_all()
    sys.exit(130)
