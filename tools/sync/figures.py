"""The figures in the lessons: SVG files next to them, and the blocks that show them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from grader.base.model import Step
from grader.rubric import load

if TYPE_CHECKING:
    from pathlib import Path

    from grader.report.figures.heatmap import Figure
    from grader.rubric.exhibit import Exhibit, LessonFigure

FOLDER = "figures"
SMALL_CELL = 12


class Block(NamedTuple):
    """What goes between two markers of a lesson, and the file that it shows, if any."""

    markers: tuple[str, str]
    body: str
    path: Path | None = None
    content: str = ""


def markers(name: str) -> tuple[str, str]:
    """The lines around a figure in a lesson."""
    return f"<!-- figure:{name}:start -->", f"<!-- figure:{name}:end -->"


def blocks(step: Step) -> list[Block]:
    """Every figure of the lesson of ``step``."""
    planned = load.figures(step)
    make = load.exhibit(step)
    return [block(step, one, make(None)) for one in planned] if make else []


def block(step: Step, planned: LessonFigure, exhibit: Exhibit) -> Block:
    """One figure of the lesson of ``step``, drawn from its exhibit."""
    from grader.report.figures import svg, terminal
    from grader.report.figures.layout import LARGE
    from grader.report.figures.terminal import Screen

    figure = _figure(planned, exhibit)
    drawn = f"Draw it: `./pixiw run {planned.command}`"
    if planned.text:
        text = terminal.render(replace(figure, text=""), Screen(80)).rstrip()
        return Block(markers(planned.name), f"```text\n{text}\n```\n\n{drawn}")
    name = f"step_{step.number}_{planned.name}.svg"
    body = f"![{planned.alt}]({FOLDER}/{name})\n\n{drawn}"
    largest = SMALL_CELL if planned.small else LARGE
    return Block(
        markers(planned.name),
        body,
        step.lesson.parent / FOLDER / name,
        svg.document(figure, largest),
    )


def _figure(planned: LessonFigure, exhibit: Exhibit) -> Figure:
    """All chosen views as one figure."""
    from grader.report.figures.heads import mistaken, reference
    from grader.report.figures.heatmap import Figure

    views = planned.chosen(exhibit)
    if planned.wrong is not None:
        return mistaken(exhibit, views[0], planned.wrong)
    heatmaps = [one for figure in reference(exhibit, views).figures for one in figure.heatmaps]
    if planned.small:
        heatmaps = [
            replace(one, rows=("",) * len(one.rows), columns=("",) * len(one.columns))
            for one in heatmaps
        ]
    return Figure(exhibit.title, exhibit.about, tuple(heatmaps))
