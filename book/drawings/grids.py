"""Small squares of numbers: what the scores of a real head look like on their way."""

from __future__ import annotations

import numpy as np

from book.drawings.svg import Drawing, Point
from checks.shared.attention import Floats

LEVELS = 8
"""Shades of a cell: ``c0`` is the ground, ``c8`` the strongest."""


def draw(
    drawing: Drawing, at: Point, side: float, values: Floats, span: tuple[float, float]
) -> None:
    """A square matrix in a square of this side; NaN is hidden, drawn as a stroke.

    Values are shaded between both ends of ``span``.
    """
    size = len(values)
    cell = side / size
    low, high = span
    for row, column in np.ndindex(values.shape):
        corner = at[0] + column * cell, at[1] + row * cell
        value = float(values[row, column])
        if np.isnan(value):
            drawing.rect(corner, (cell, cell), "cell hidden")
        else:
            level = round((value - low) / (high - low) * LEVELS)
            drawing.rect(corner, (cell, cell), f"cell c{level}")
    drawing.rect(at, (side, side), "frame")
