"""The colours of every level in a terminal, of 16 million or of 256."""

from __future__ import annotations

from dataclasses import dataclass

from grader.report.figures.heatmap import Scale
from grader.report.figures.palette import DARK, Colour, colour, contrast, ink

FIRST_GREY = 235
"""Weights are the last 21 greys of the 256: only lightness, one per level."""

BELOW = (17, 18, 24, 25, 31, 32, 33, 75, 111, 117)
MIDDLE = 236
ABOVE = (58, 94, 130, 136, 172, 208, 214, 215, 222, 230)
"""Blues and oranges of the 256, lighter further from 0."""

WHITE, BLACK = 231, 16


@dataclass(frozen=True)
class Paint:
    """One colour: exactly, and as one of the 256."""

    rgb: Colour
    index: int


NAN = Paint((255, 0, 255), 201)


def ground(step: int, scale: Scale) -> Paint:
    """The colour of a cell of this level."""
    if scale is not Scale.SIGNED:
        index = FIRST_GREY + step
    else:
        index = MIDDLE if not step else (ABOVE if step > 0 else BELOW)[abs(step) - 1]
    return Paint(colour(step, scale, DARK), index)


def writing(step: int, scale: Scale, *, many: bool) -> Paint:
    """The colour of text on such a cell; ``many``: the terminal has all colours."""
    if many:
        return Paint(ink(step, scale, DARK), WHITE)
    behind = rgb(ground(step, scale).index)
    return max(
        (Paint(rgb(index), index) for index in (WHITE, BLACK)),
        key=lambda paint: contrast(behind, paint.rgb),
    )


def rgb(index: int) -> Colour:
    """What terminals draw for one of the 256 colours, except the first 16."""
    if index >= 232:
        return (8 + 10 * (index - 232),) * 3
    levels = (0, 95, 135, 175, 215, 255)
    red, green, blue = (index - 16) // 36, (index - 16) // 6 % 6, (index - 16) % 6
    return levels[red], levels[green], levels[blue]
