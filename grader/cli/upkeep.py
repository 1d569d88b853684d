"""The commands that keep the course itself in order."""

from __future__ import annotations

import sys

import click

from grader.base import course
from grader.cli.options import plain_option, print_page, stdout_style


@click.command()
@plain_option
def doctor(plain: bool) -> None:
    """Check what grading needs on this machine and say how to fix what is broken."""
    from grader.learner.doctor import State, inspect_machine, render

    style = stdout_style(plain)
    inspections = list(inspect_machine(style))
    print_page(render(inspections, style), plain)
    sys.exit(3 if any(one.state is State.BROKEN for one in inspections) else 0)


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print code that gives SHELL the command `grader` and completes its words."""
    import shlex

    from click.shell_completion import get_completion_class

    from grader.cli import COMPLETE, cli

    program = f"env PYTHONPATH={shlex.quote(str(course.HOME))} {shlex.quote(sys.executable)}"
    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101 - click has all three
    script = kind(cli, {}, "grader", COMPLETE).source()
    # click's scripts expect a program `grader` on PATH. Here it is a function.
    script = script.replace("(( ! $+commands[grader] )) && return 1", "")
    for before in ("bash_complete", "zsh_complete", "COMP_CWORD=(commandline -t)"):
        for called in ("$1", "grader"):
            script = script.replace(f"{before} {called}", f"{before} {program} -m grader")
    arguments = "$argv" if shell == "fish" else '"$@"'
    body = f"{program} -m grader {arguments}"
    click.echo(f"function grader; {body}; end" if shell == "fish" else f"grader() {{ {body}; }}")
    click.echo(script)
