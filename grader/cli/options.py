"""What several commands share: the step argument, the options of grading, the exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from grader import frameworks
from grader.base import course
from grader.base.model import Step, Verdict
from grader.report.style import Style, paint, style_of

if TYPE_CHECKING:
    from grader.report.points import Points

Command = TypeVar("Command", bound=Callable[..., Any])

STATUS = {Verdict.PASS: 0, Verdict.FAIL: 1, Verdict.TIMEOUT: 1, Verdict.ERROR: 3}
"""Exit status: 0 passed, 1 the learner's file fails, 2 wrong usage, 3 grader or machine."""


class StepName(click.ParamType):  # type: ignore[type-arg]
    """A step's name: ``s05``, ``05`` or ``5``."""

    name = "step"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Step:
        """The step with this name; the usage message lists those that exist."""
        if isinstance(value, Step):
            return value
        try:
            return course.find(str(value))
        except course.UnknownStep as problem:
            self.fail(str(problem), param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The steps whose names start like this."""
        return [
            CompletionItem(step.id, help=step.title)
            for step in course.steps()
            if step.id.startswith(incomplete)
        ]


class EngineName(click.ParamType):  # type: ignore[type-arg]
    """What computes a program's numbers: one of the engines of the course's framework."""

    name = "engine"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """The engine with this name; the usage message lists those that exist."""
        every = frameworks.current().engines
        if value not in every:
            known = ", ".join(every)
            self.fail(f"There is no engine {value!r}. The engines are {known}.", param, ctx)
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The engines whose names start like this."""
        every = frameworks.current().engines
        return [CompletionItem(name) for name in every if name.startswith(incomplete)]


engine_option = click.option(
    "--engine",
    type=EngineName(),
    default="numpy",
    help="What computes the numbers. numpy answers at once; the framework's own engines "
    "compile first.",
)
seed_option = click.option("--seed", type=int, help="Draw the same random inputs again.")
strict_option = click.option(
    "--strict", is_flag=True, help="Require the lesson's structure too, not only right numbers."
)
mine_option = click.option(
    "--mine", is_flag=True, help="Import your own earlier steps instead of the solutions."
)


def grading_options(command: Command) -> Command:
    """``--engine``, ``--seed``, ``--strict`` and ``--mine``."""
    for option in (mine_option, strict_option, seed_option, engine_option):
        command = option(command)
    return command


plain_option = click.option(
    "--plain",
    is_flag=True,
    envvar="GRADER_PLAIN",
    help="Words instead of symbols and colours, for screen readers. GRADER_PLAIN=1 does this "
    "always.",
)


def format_option(*forms: str) -> Callable[[Command], Command]:
    """``--format`` with these formats, the first by default."""
    told = "text is for people, lines for editors"
    told += "; the others are for platforms and programs." if forms[2:] else "."
    return click.option("--format", "form", type=click.Choice(forms), default=forms[0], help=told)


def from_caller(path: Path) -> Path:
    """A path as the person typed it: pixi starts a task in the root and says where they are."""
    return Path(os.environ.get("INIT_CWD", "")) / path if Path.cwd() == course.HOME else path


def stdout_style(plain: bool) -> Style:
    """The style for stdout."""
    return style_of(sys.stdout, plain=plain)


def print_page(text: str, plain: bool) -> None:
    """Write a text to stdout: coloured and wrapped in a terminal, unchanged elsewhere."""
    style = stdout_style(plain)
    click.echo(paint(style.text(text), style), nl=False, color=True)


def warn_of_other_version() -> None:
    """Say on standard error, before anything is graded, if the framework has another version."""
    from grader import frameworks
    from grader.frameworks import version

    if mismatch := version.mismatch(frameworks.current()):
        click.echo(f"{mismatch} {version.INSTALL}", err=True)


def points_option(path: Path | None) -> Points:
    """The points of ``--points``; one for each check without it."""
    from grader.base.files import Unusable
    from grader.report.points import Points, read

    try:
        return read(from_caller(path)) if path else Points()
    except Unusable as problem:
        raise click.UsageError(str(problem)) from None
