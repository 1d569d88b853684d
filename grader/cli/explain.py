"""The command that explains a check."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from grader.base import course
from grader.cli.learner import checks_that_begin, current_step, known_check
from grader.cli.options import StepName, plain_option, print_page

if TYPE_CHECKING:
    from grader.base.model import Step


def words_that_begin(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The steps, or the checks of the step that was named, for the shell to complete."""
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
    """The step and the check; a check alone is of the step that the learner is at."""
    if len(words) > 2:
        raise click.UsageError("Name a step and a check: explain s05 scale")
    try:
        step = course.find(words[0]) if words else current_step()
    except course.UnknownStep as problem:
        if len(words) == 2:
            raise click.UsageError(str(problem)) from problem
        return _step_with(words[0]), words[0]
    return step, words[1] if len(words) == 2 else None


def _step_with(check: str) -> Step:
    """The step at which ``check`` is meant: the learner's own if it has one, else the first."""
    from grader.rubric import load

    here = current_step()
    for step in (here, *course.steps()):
        if any(one.id == check for one in load.rubric(step).checks):
            return step
    known_check(here, check)
    return here
