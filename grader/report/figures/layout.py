"""Where each heatmap of a figure goes, in pixels: the same for SVG and PNG."""

from __future__ import annotations

from dataclasses import dataclass

from grader.report.figures.heatmap import Figure, Heatmap

WIDTH = 800
"""Heatmaps flow from left to right within this width."""

GAP = 28
TITLE = 20
LETTER = 6.6
"""The width of one letter of a label."""

NUMBERED = 26
"""Cells of at least this size show their number."""

LARGE = 36
SMALL = 18
"""The largest cell without a number."""

SIZES = ((8, 36), (12, 26), (16, 20), (32, 14))
"""With up to this many rows or columns, a cell has this size."""


@dataclass(frozen=True)
class Placed:
    """A heatmap with its upper left corner, the size of a cell, and where its first cell is.

    ``turned``: the column labels are written upwards.
    """

    heatmap: Heatmap
    x: int
    y: int
    cell: int
    left: int
    top: int
    turned: bool

    @property
    def width(self) -> int:
        """Of title and cells, whichever is wider."""
        cells = self.left + self.cell * len(self.heatmap.columns)
        return max(cells, int(len(self.heatmap.title) * (LETTER + 0.4)))

    @property
    def height(self) -> int:
        """Of all of it."""
        return self.top + self.cell * len(self.heatmap.rows)


def place(
    figure: Figure, largest: int = LARGE, within: int = WIDTH
) -> tuple[list[Placed], int, int]:
    """All heatmaps in rows, with their total width and height."""
    placed: list[Placed] = []
    x, y, tall, wide = GAP // 2, GAP // 2, 0, GAP
    for heatmap in figure.heatmaps:
        one = _placed(heatmap, x, y, largest)
        if x > GAP // 2 and x + one.width > within:
            x, y, tall = GAP // 2, y + tall + GAP, 0
            one = _placed(heatmap, x, y, largest)
        placed.append(one)
        x, tall = x + one.width + GAP, max(tall, one.height)
        wide = max(wide, x)
    return placed, wide - GAP // 2, y + tall + GAP // 2


def _placed(heatmap: Heatmap, x: int, y: int, largest: int) -> Placed:
    count = max(len(heatmap.columns), len(heatmap.rows))
    cell = min(largest, next((size for most, size in SIZES if count <= most), 7))
    left = int(_longest(heatmap.rows) * LETTER) + 8
    across = _longest(heatmap.columns) * LETTER
    turned = across > cell - 2
    return Placed(heatmap, x, y, cell, left, TITLE + (int(across) + 8 if turned else 16), turned)


def _longest(labels: tuple[str, ...]) -> int:
    return max(map(len, labels), default=0)
