"""The learner's commands on one step: watch, hints, explanations, the solution, the trace."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from grader.base import course
from grader.base.model import Step
from grader.cli.navigation import known
from grader.cli.options import (
    STATUS,
    StepName,
    engine_option,
    format_option,
    from_caller,
    mine_option,
    plain_option,
    print_page,
    seed_option,
    stdout_style,
    strict_option,
    warn_of_other_version,
)
from grader.learner import progress


def current_step() -> Step:
    """The step that the learner is at."""
    from grader.learner.navigation import next_step

    steps = course.steps()
    return next_step(steps, progress.read(course.ROOT)[0]) or steps[-1]


def checks_that_begin(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The checks of the named step, for the shell to complete."""
    from grader.rubric import load

    step = ctx.params.get("step") or current_step()
    if not isinstance(step, Step):
        try:
            step = course.find(str(step))
        except course.UnknownStep:
            return []
    return [
        CompletionItem(check.id, help=check.passed)
        for check in load.rubric(step).checks
        if check.id.startswith(incomplete)
    ]


@click.command()
@click.argument("step", type=StepName(), required=False)
@click.argument("check", required=False, shell_complete=checks_that_begin)
@engine_option
@plain_option
def hint(step: Step | None, check: str | None, engine: str, plain: bool) -> None:
    """Grade a step and show one more hint on CHECK, or on the first check that fails."""
    from grader import sandbox
    from grader.learner import attempt, pages
    from grader.pipeline import Follow, Options

    step = step or current_step()
    if check is not None:
        known_check(step, check)
    options = Options(engine, follow=Follow.FAILING)
    with sandbox.preforked() as start:
        found = attempt.attempt(step, options, start)
        found = attempt.one_more_hint(step, found, check)
    print_page(pages.hint_page(step, found, stdout_style(plain), check), plain)
    if found.note:
        click.echo(found.note, err=True)
    sys.exit(3 if found.report.verdict.value == "error" else 0)


def known_check(step: Step, check: str) -> None:
    """Refuse a check that ``step`` does not have, naming those it has."""
    from grader.rubric import load

    names = [one.id for one in load.rubric(step).checks]
    if check not in names:
        raise click.UsageError(f"{step.id} has no check {check!r}. It has {', '.join(names)}.")


@click.command()
@click.argument("step", type=StepName(), required=False)
@click.option("--now", is_flag=True, help="Show it even if the step is not passed yet.")
@plain_option
def solution(step: Step | None, now: bool, plain: bool) -> None:
    """Show how the reference differs from your file, once the step is passed."""
    from grader.learner import pages
    from grader.learner.tasks import task

    step = step or current_step()
    if not now and not known().get(step.id, progress.UNTOUCHED).passed:
        raise click.UsageError(
            f"Step {step.number} is not passed yet. {task(f'hint {step.id}')} gives a hint; "
            "--now shows the reference anyway."
        )
    print_page(pages.solution_page(step), plain)


def words_that_begin(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The steps, or the checks of the named step, for the shell to complete."""
    named = ctx.params.get("words") or ()
    if named:
        ctx.params["step"] = named[0]
        return checks_that_begin(ctx, param, incomplete)
    return StepName().shell_complete(ctx, param, incomplete) + checks_that_begin(
        ctx, param, incomplete
    )


@click.command()
@click.argument("words", nargs=-1, metavar="[STEP] [CHECK]", shell_complete=words_that_begin)
@plain_option
def explain(words: tuple[str, ...], plain: bool) -> None:
    """Say why CHECK of STEP exists, and where to read. Without CHECK, list the step's checks."""
    from grader.learner.tasks import task
    from grader.rubric import load

    step, check = _meant(words)
    rubric = load.rubric(step)
    if check is None:
        width = max(len(one.id) for one in rubric.checks)
        lines = [f"{one.id:{width}}  {one.passed}" for one in rubric.checks]
        more = task(f"explain {step.id} {rubric.checks[0].id}")
        print_page("\n".join([*lines, "", f"More on one of them: {more}", ""]), plain)
        return
    known_check(step, check)
    from grader.learner.explain import explain_page

    found = next(one for one in rubric.checks if one.id == check)
    print_page(explain_page(step, rubric, found), plain)


def _meant(words: tuple[str, ...]) -> tuple[Step, str | None]:
    """The step and the check; a check alone belongs to the learner's current step."""
    from grader.learner.tasks import task

    if len(words) > 2:
        raise click.UsageError(f"Name a step and a check: {task('explain s05 scale')}")
    try:
        step = course.find(words[0]) if words else current_step()
    except course.UnknownStep as problem:
        if len(words) == 2:
            raise click.UsageError(str(problem)) from problem
        return _step_with(words[0]), words[0]
    return step, words[1] if len(words) == 2 else None


def _step_with(check: str) -> Step:
    """The step that ``check`` means: the learner's current one if it has it, else the first."""
    from grader.rubric import load

    here = current_step()
    for step in (here, *course.steps()):
        if any(one.id == check for one in load.rubric(step).checks):
            return step
    known_check(here, check)
    return here


@click.command()
@click.argument("step", type=StepName(), required=False)
@click.option(
    "--poll/--no-poll",
    default=None,
    help="Poll the file or wait for system events. The default depends on the file system.",
)
@engine_option
@strict_option
@mine_option
@format_option("text", "lines")
@plain_option
def watch(
    step: Step | None,
    poll: bool | None,
    engine: str,
    strict: bool,
    mine: bool,
    form: str,
    plain: bool,
) -> None:
    """Grade STEP at every save of its file, and show the report in place."""
    from grader.learner.watch.lines import LineWatch
    from grader.learner.watch.loop import Watch
    from grader.learner.watch.terminal import Terminal
    from grader.pipeline import Follow, Options

    warn_of_other_version()
    style = stdout_style(plain)
    kind = LineWatch if form == "lines" else Watch
    with Terminal(in_place=not plain and kind is Watch).taken() as terminal:
        follow = Follow.FAILING if kind is Watch else Follow.NOT  # an editor shows lines alone
        options = Options(engine, None, strict, mine, follow=follow)
        kind(step or current_step(), options, terminal, style, poll=poll).run()
    sys.exit(0)


@click.command()
@click.argument("step", type=StepName())
@click.option(
    "--file",
    "path",
    type=click.Path(path_type=Path),
    help="The file to follow.  [default: the step's own]",
)
@click.option(
    "--html", "page", type=click.Path(path_type=Path), help="Write a web page to this file instead."
)
@seed_option
@plain_option
def trace(step: Step, path: Path | None, page: Path | None, seed: int | None, plain: bool) -> None:
    """Show what each line of a program computed, and where it leaves the reference's path."""
    from grader import sandbox
    from grader.base.files import write_whole
    from grader.pipeline import Follow, Options, grade
    from grader.report import as_margin, as_text, code_frame
    from grader.source.notebook import read_program

    file = from_caller(path) if path else step.stub
    with sandbox.preforked() as start:
        report = grade(step, file, Options(seed=seed, follow=Follow.ALWAYS), start)
    style = stdout_style(plain)
    if report.explanation is not None and report.explanation.blanks:
        told = "\n".join(code_frame.lines(report, style))
        print_page(f"There is nothing to follow yet.\n{told}\n", plain)
        sys.exit(STATUS[report.verdict])
    if report.trace is None:
        print_page(as_text.render(report, style), plain)
        sys.exit(STATUS[report.verdict])
    source = read_program(file, step.id).decode("utf-8", "replace")
    if page is None:
        print_page(as_margin.text(source, report.trace, style), plain)
    else:
        title = f"Step {step.number}: {report.file}"
        write_whole(from_caller(page), as_margin.page(source, report.trace, title))
    sys.exit(STATUS[report.verdict])
