"""The figure of a failed check: expected numbers, the program's numbers, and the difference."""

from __future__ import annotations

import math
from html import escape

from grader.base.model import Excerpt, Grid
from grader.report.figures import svg, terminal
from grader.report.figures.heatmap import Figure, Heatmap, Scale, whole
from grader.report.figures.terminal import Screen

MASKED = 1e20
"""Numbers beyond this stand for minus infinity in a mask, and do not affect the scale."""


def figure(excerpt: Excerpt) -> Figure:
    """Three heatmaps: the first two share a scale, the third has its own."""
    return compared(excerpt.title, excerpt.expected, excerpt.actual, excerpt.rows, excerpt.columns)


def compared(
    title: str, expected: Grid, actual: Grid, rows: tuple[str, ...], columns: tuple[str, ...]
) -> Figure:
    """Expected, actual and the difference as a figure."""
    apart = _minus(actual, expected)
    scale, limit = _scale(expected)
    return Figure(
        title,
        _told(expected, actual, apart, rows, columns),
        (
            Heatmap("Expected", expected, rows, columns, scale, limit),
            Heatmap("Actual", actual, rows, columns, scale, limit),
            Heatmap(
                "Difference (actual - expected)",
                apart,
                rows,
                columns,
                Scale.SIGNED,
                _largest(apart) or 1.0,
            ),
        ),
    )


def as_html(excerpt: Excerpt, name: str) -> str:
    """The excerpt as ``<figure>``, for a page that has ``svg.style`` in it once.

    ``name`` starts its ids: use a different one for each figure of the page.
    """
    drawn = figure(excerpt)
    caption = escape(f"{drawn.title}. {drawn.text}", quote=False)
    return (
        f'<figure class="hm-figure">\n{svg.fragment(drawn, name, small=True)}'
        f"<figcaption>{caption}</figcaption>\n</figure>\n"
    )


def as_text(excerpt: Excerpt, screen: Screen) -> str:
    """The excerpt for a terminal."""
    return terminal.render(figure(excerpt), screen)


def _scale(expected: Grid) -> tuple[Scale, float]:
    """Weights or a mask if the numbers are those, else numbers of any sign."""
    numbers = [value for row in expected for value in row]
    finite = [value for value in numbers if abs(value) < MASKED]
    if len(finite) < len(numbers) and not any(finite):
        return Scale.MASK, 1.0
    rows = [sum(row) for row in expected]
    if all(0 <= value <= 1 for value in numbers) and all(abs(total - 1) < 1e-4 for total in rows):
        return Scale.WEIGHT, 1.0
    return Scale.SIGNED, max(map(abs, finite), default=1.0) or 1.0


def _minus(actual: Grid, expected: Grid) -> Grid:
    """The difference; equal infinities and an expected NaN count as no difference."""
    return tuple(
        tuple(
            0.0 if a == e or (math.isnan(a) and math.isnan(e)) else a - e
            for a, e in zip(one, other, strict=True)
        )
        for one, other in zip(actual, expected, strict=True)
    )


def _largest(grid: Grid) -> float:
    return max((abs(value) for row in grid for value in row if abs(value) < MASKED), default=0.0)


def _told(
    expected: Grid,
    actual: Grid,
    apart: Grid,
    rows: tuple[str, ...],
    columns: tuple[str, ...],
) -> str:
    """In words: how many numbers are far off, and the furthest one."""
    far = max(_largest(expected), 1e-3) * 1e-3
    wrong = [
        (math.inf if math.isnan(gap) else abs(gap), row, column)
        for row, gaps in enumerate(apart)
        for column, gap in enumerate(gaps)
        if not abs(gap) <= far
    ]
    total = sum(map(len, apart))
    if not wrong:
        return f"All {total} numbers are as expected."
    _, row, column = max(wrong, key=lambda one: one[0])
    return (
        f"{len(wrong)} of {total} numbers differ by more than 0.1 % of the largest value. "
        f"The largest error is in row {rows[row]}, column {columns[column]}: it is "
        f"{whole(actual[row][column])}, expected {whole(expected[row][column])}."
    )
