"""The command line: ``python -m grader``. Each task of pixi.toml is one of these commands.

To add a command, write it in a module of this package and name it in ``COMMANDS``.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

import click

from grader import __version__
from grader.learner.tasks import typed

COMPLETE = "_GRADER_COMPLETE"
"""The variable with which a shell asks for completions."""

COMMANDS = {
    "autograde": "gradescope",
    "autograder": "gradescope",
    "check": "check",
    "class": "teach:grade_class",
    "completion": "upkeep",
    "desk": "desk",
    "doctor": "upkeep",
    "explain": "learner",
    "grade": "grade",
    "hint": "learner",
    "list": "navigation:list_",
    "next": "navigation:next_",
    "progress": "navigation:progress_",
    "reset": "navigation",
    "similar": "teach",
    "skip": "navigation",
    "solution": "learner",
    "show": "show",
    "trace": "learner",
    "watch": "learner",
}
"""The command's name, and the module of this package whose function of that name it is
(``-`` becomes ``_``), or the module and another function. A module is imported only when one of
its commands is run or listed."""


class Commands(click.Group):
    """The commands of ``COMMANDS``, each imported when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, by name."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name."""
        if cmd_name not in COMMANDS:
            return None
        name, _, function = COMMANDS[cmd_name].partition(":")
        module = importlib.import_module(f"grader.cli.{name}")
        command: click.Command = getattr(module, function or cmd_name.replace("-", "_"))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Also call ``grade s05`` by what was typed, where that was the task ``s05``."""
        name, command, rest = super().resolve_command(ctx, args)
        if name == "grade" and "INIT_CWD" in os.environ:
            from grader.base import course

            name = next((step.id for step in course.steps() if rest[:1] == [step.id]), name)
        return name, command, rest


def choose_course(ctx: click.Context, param: click.Parameter, folder: Path | None) -> None:
    """Use the course in ``folder``, in this process and those it starts.

    :mod:`grader.base.course` reads it on import; no command has been imported yet.
    """
    if folder is None:
        return
    if Path.cwd() == Path(__file__).resolve().parents[2]:  # where pixi starts every task
        folder = Path(os.environ.get("INIT_CWD", "")) / folder
    if not (folder / "course.toml").is_file():
        raise click.BadParameter(f"There is no course.toml in {folder}.", ctx, param)
    os.environ["GRADER_COURSE"] = str(folder.resolve())


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--course",
    envvar="GRADER_COURSE",
    type=click.Path(path_type=Path),
    callback=choose_course,
    expose_value=False,
    help="The folder of the course, if not the one that ships with the grader.",
)
@click.version_option(__version__)
def cli() -> None:
    """Grade the steps of a course."""


def main() -> None:
    """Run the command line. No traceback for a closed pipe, Ctrl-C or our own failure."""
    try:
        name = typed("", "python -m grader")
        sys.exit(cli.main(prog_name=name, complete_var=COMPLETE, standalone_mode=False) or 0)
    except click.ClickException as problem:
        problem.show()
        sys.exit(problem.exit_code)
    except click.Abort:
        click.echo("Stopped.", err=True)
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as problem:
        click.echo(f"The machine refused: {problem}. Fix that and run it again.", err=True)
        sys.exit(3)
    except Exception as problem:
        if os.environ.get("GRADER_TRACEBACK"):
            raise
        click.echo(
            f"The grader itself failed: {type(problem).__name__}: {problem}\n"
            "This is not your mistake, and it costs you nothing. Run it again; if it fails again, "
            "run `doctor`, or report it with the output under GRADER_TRACEBACK=1.",
            err=True,
        )
        sys.exit(3)
