"""The command that draws."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.base.model import Step
from grader.cli.options import StepName, engine_option, from_caller, plain_option, stdout_style

if TYPE_CHECKING:
    from grader.report.figures.heads import Shown
    from grader.report.figures.terminal import Depth, Screen
    from grader.rubric.exhibit import Exhibit, View

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("step", type=StepName())
@click.option("--text", help="The text that the heads attend to.")
@click.option("--mine", is_flag=True, help="Draw what your own file does, not the reference.")
@click.option("--file", "path", type=click.Path(path_type=Path), help="Draw what this file does.")
@click.option("--head", type=click.IntRange(0), help="Draw only this head, counted from 0.")
@click.option("--layer", type=click.IntRange(0), help="Draw only this layer, in steps 11 and 12.")
@click.option("--html", type=FILE, help="Write a self-contained page.")
@click.option("--png", type=FILE, help="Write a picture.")
@plain_option
@engine_option
def show(
    step: Step,
    text: str | None,
    mine: bool,
    path: Path | None,
    head: int | None,
    layer: int | None,
    html: Path | None,
    png: Path | None,
    plain: bool,
    engine: str,
) -> None:
    """Draw each head's attention weights; for a file that is wrong, the difference too."""
    _named_right(html, png)
    own = from_caller(path) if path is not None else step.stub if mine else None
    exhibit = _exhibit(step, text)
    views = _chosen(exhibit, head, layer)
    shown = _shown(step, own, exhibit, views, engine)
    title = f"Step {step.number}: {step.title}"
    title += "" if own is None else f" - {own.name}"
    if html is None and png is None:
        _print(shown, _screen(plain=plain))
    else:
        _write(title, shown, html and from_caller(html), png and from_caller(png))
    sys.exit(0 if shown.right else 1)


def _named_right(html: Path | None, png: Path | None) -> None:
    """Refuse names of another kind of file: an existing file is overwritten."""
    for option, path, endings in (
        ("--html", html, (".html", ".htm")),
        ("--png", png, (".png",)),
    ):
        if path is not None and path.suffix.lower() not in endings:
            raise click.UsageError(f"{option} writes a file that ends in {endings[0]}, not {path}.")


def _exhibit(step: Step, text: str | None) -> Exhibit | None:
    from grader.rubric import load
    from grader.rubric.exhibit import NoExhibit

    make = load.exhibit(step)
    if make is None:
        if text is not None:
            raise click.UsageError(f"Step {step.number} has no attention: leave out --text.")
        return None
    try:
        return make(text)
    except NoExhibit as problem:
        raise click.UsageError(str(problem)) from problem


def _chosen(exhibit: Exhibit | None, head: int | None, layer: int | None) -> tuple[View, ...]:
    """The views of this head and this layer."""
    if exhibit is None:
        if head is not None or layer is not None:
            raise click.UsageError("This step has no heads.")
        return ()
    views = exhibit.views
    for name, wanted in (("layer", layer), ("head", head)):
        if wanted is None:
            continue
        known = sorted({n for view in views if (n := getattr(view, name)) is not None})
        if wanted not in known:
            there = f"{name}s {known[0]} to {known[-1]}" if known else f"no {name}s"
            raise click.UsageError(f"There is no {name} {wanted}: this step has {there}.")
        views = tuple(view for view in views if getattr(view, name) == wanted)
    return views


def _shown(
    step: Step, own: Path | None, exhibit: Exhibit | None, views: tuple[View, ...], engine: str
) -> Shown:
    from grader.report.figures.heads import Shown, reference
    from grader.report.figures.run import draw_program
    from grader.source import SourceProblem

    if own is None:
        if exhibit is None:
            raise click.UsageError(
                f"Step {step.number} has no attention to draw. --mine draws the first wrong "
                "numbers of your file."
            )
        return reference(exhibit, views)
    if exhibit is None:
        return _graded(step, own, engine)
    try:
        shown = draw_program(step, own, exhibit, views, engine)
    except SourceProblem as problem:
        where = f", line {problem.line}" if problem.line is not None else ""
        hint = f" {problem.hint}" if problem.hint else ""
        raise click.ClickException(f"{own}{where}: {problem.message}.{hint}") from problem
    graded = _graded(step, own, engine)
    # Heads may be right where something else is wrong: a bias, another length.
    more = graded.figures if shown.right else ()
    right = shown.right and graded.right
    return Shown(more + shown.figures, right, shown.remarks + graded.remarks)


def _graded(step: Step, own: Path, engine: str) -> Shown:
    """The first wrong numbers of a grading, and what they mean."""
    from grader import sandbox
    from grader.base.model import Verdict
    from grader.pipeline import Follow, Options, grade
    from grader.report.figures import failure
    from grader.report.figures.heads import Shown

    with sandbox.preforked() as start:
        report = grade(step, own, Options(engine, follow=Follow.FAILING), start)
    drawn = (failure.figure(report.excerpt),) if report.excerpt is not None else ()
    told, right = report.explanation, report.verdict is Verdict.PASS
    means = "your file computes what the reference does" if right else "something is not right yet"
    lesson = told.lesson if told else step.lesson.relative_to(step.root).as_posix()
    cause = told.cause if told and told.cause else means
    return Shown(drawn, right, (f"What it means: {cause}.", f"Lesson: {lesson}"))


def _print(shown: Shown, screen: Screen) -> None:
    from grader.report.figures import terminal

    parts = [terminal.render(figure, screen) for figure in shown.figures]
    parts.append("".join(f"{remark}\n" for remark in shown.remarks))
    text = "\n".join(parts)
    click.echo(text if screen.unicode else text.encode("ascii", "replace").decode(), nl=False)


def _write(title: str, shown: Shown, html: Path | None, png: Path | None) -> None:
    from grader.base.files import write_whole
    from grader.report.figures import page

    made: list[tuple[Path, str | bytes]] = []
    if html is not None:
        made.append((html, page.render(title, shown.figures, shown.remarks)))
    if png is not None and shown.figures:
        from grader.report.figures import png as drawing

        made.append((png, drawing.render(shown.figures)))
    for path, content in made:
        try:
            write_whole(path, content)
        except OSError as problem:
            click.echo(f"{path} could not be written: {problem.strerror}.", err=True)
            sys.exit(3)
        click.echo(f"Wrote {path}.")
    for remark in shown.remarks:
        click.echo(remark)


def _screen(*, plain: bool) -> Screen:
    """What stdout can show."""
    from grader.report.figures.terminal import Depth, Screen

    style = stdout_style(plain)
    words = style.words or os.environ.get("TERM") == "dumb"
    return Screen(style.width, _depth() if style.colour else Depth.NONE, style.unicode, words)


def _depth() -> Depth:
    """How many colours the terminal says that it has."""
    from grader.report.figures.terminal import Depth

    if os.environ.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return Depth.ALL
    return Depth.MANY if "256color" in os.environ.get("TERM", "") else Depth.NONE
