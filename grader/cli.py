"""The command line: ``python -m grader``. Each task of pixi.toml is one of these commands."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader import course
from grader.model import Step, Verdict

if TYPE_CHECKING:
    from grader.model import Report

STATUS = {Verdict.PASS: 0, Verdict.FAIL: 1, Verdict.TIMEOUT: 1, Verdict.ERROR: 3}
"""Exit status: 0 passed, 1 the learner's file fails, 2 wrong usage, 3 grader or machine."""


class StepName(click.ParamType):  # type: ignore[type-arg]
    """A step's name: ``s05``, ``05`` or ``5``."""

    name = "step"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Step:
        """The step called so; the usage message names those that exist."""
        if isinstance(value, Step):
            return value
        try:
            return course.find(str(value))
        except course.UnknownStep as problem:
            self.fail(str(problem), param, ctx)


engine_option = click.option(
    "--engine",
    type=click.Choice(["numpy", "max"]),
    default="numpy",
    help="numpy answers at once; max runs MAX's own kernels and compiles each one first.",
)
seed_option = click.option("--seed", type=int, help="Draw the same random inputs again.")
strict_option = click.option(
    "--strict", is_flag=True, help="Require the lesson's structure too, not only right numbers."
)
mine_option = click.option(
    "--mine", is_flag=True, help="Import your own earlier steps instead of the solutions."
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Grade the steps of the attention course."""


@cli.command()
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

    path, output = (given and _from_caller(given) for given in (path, output))
    report = grade(step, path or step.stub, Options(engine, seed, strict, mine))
    if form == "json":
        from grader.report import as_json

        text = as_json.render(report)
    else:
        from grader.report import as_text

        plain = output is not None
        text = as_text.render(
            report, unicode=plain or _unicode(), verbose=verbose, hint_level=hints
        )
    _deliver(text, output, coloured=form == "text")
    sys.exit(STATUS[report.verdict])


@cli.command()
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


@cli.command()
@click.option("--check", "only_check", is_flag=True, help="Change nothing; fail if out of step.")
@click.option("--force", is_flag=True, help="Replace edited stubs too; each is backed up first.")
def sync(only_check: bool, force: bool) -> None:
    """Regenerate the stubs, the step tasks and the reports in the lessons."""
    from grader import stubs

    sys.exit(stubs.sync(course.ROOT, check=only_check, force=force))


def _from_caller(path: Path) -> Path:
    """A path as the person typed it: pixi starts a task in the root and says where they are."""
    return Path(os.environ.get("INIT_CWD", "")) / path if Path.cwd() == course.ROOT else path


def _summary(report: Report) -> str:
    marks = (
        {Verdict.PASS: "✅", Verdict.ERROR: "⛔"}
        if _unicode()
        else {Verdict.PASS: "[pass]", Verdict.ERROR: "[error]"}
    )
    mark = marks.get(report.verdict, "❌" if _unicode() else "[FAIL]")
    first = next((c.message for c in report.checks if c.status.value == "fail"), "")
    problem = report.problem.message if report.problem else first
    said = f"  {problem}" if problem else ""
    return f"{mark} {report.step} {report.score:>2}/{report.max_score} {report.title}{said}"


def _unicode() -> bool:
    """Whether stdout can carry the report's marks."""
    return (getattr(sys.stdout, "encoding", "") or "").lower().replace("-", "") == "utf8"


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


def main() -> None:
    """Run the command line. A closed pipe, Ctrl-C or our own failure gives no traceback."""
    try:
        sys.exit(cli.main(prog_name="grader", standalone_mode=False) or 0)
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
        click.echo(f"The machine refused: {problem}. Mend that and run it again.", err=True)
        sys.exit(3)
    except Exception as problem:
        if os.environ.get("GRADER_TRACEBACK"):
            raise
        click.echo(
            f"The grader itself failed: {type(problem).__name__}: {problem}\n"
            "This is not your mistake, and it costs you nothing. Run it again; if it stays, "
            "report it with the output under GRADER_TRACEBACK=1.",
            err=True,
        )
        sys.exit(3)
