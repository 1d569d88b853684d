"""The colours of every level, on a light and on a dark background.

One hue for weights, whose lightness alone tells the number; blue and orange for signed numbers,
which people who confuse red and green can tell apart.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.report.figures.heatmap import STEPS, Scale

Colour = tuple[int, int, int]


@dataclass(frozen=True)
class Theme:
    """Colours as red, green and blue, each 0 to 255.

    Text on ``surface`` is ``ink``; on a cell ``ink`` or ``inverse``, whichever reads better.
    """

    surface: Colour
    ink: Colour
    inverse: Colour
    none: Colour
    full: Colour
    negative: Colour
    middle: Colour
    positive: Colour


LIGHT = Theme(
    surface=(255, 255, 255),
    ink=(3, 5, 8),
    inverse=(255, 255, 255),
    none=(233, 238, 245),
    full=(8, 48, 107),
    negative=(5, 72, 140),
    middle=(240, 240, 236),
    positive=(140, 55, 0),
)
DARK = Theme(
    surface=(22, 27, 34),
    ink=(255, 255, 255),
    inverse=(3, 5, 8),
    none=(36, 43, 53),
    full=(165, 214, 255),
    negative=(121, 184, 255),
    middle=(43, 48, 56),
    positive=(255, 166, 87),
)


def colour(level: int, scale: Scale, theme: Theme) -> Colour:
    """The colour of a level: 0 to ``STEPS``, or ``-STEPS/2`` to ``STEPS/2`` with a sign."""
    if scale is Scale.SIGNED:
        end = theme.positive if level > 0 else theme.negative
        return _between(theme.middle, end, 2 * abs(level))
    return _between(theme.none, theme.full, level)


def ink(level: int, scale: Scale, theme: Theme) -> Colour:
    """The colour of text on a cell of this level."""
    cell = colour(level, scale, theme)
    return max(theme.ink, theme.inverse, key=lambda text: contrast(cell, text))


def css(colour: Colour) -> str:
    """``#rrggbb``."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def contrast(one: Colour, other: Colour) -> float:
    """The contrast ratio of two colours, 1 to 21. Source: WCAG 2.2, "contrast ratio"."""
    bright, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def _luminance(colour: Colour) -> float:
    red, green, blue = (
        c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4
        for c in colour
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _between(start: Colour, end: Colour, step: int) -> Colour:
    """The colour ``step`` of ``STEPS`` along the way, in integers: equal on every machine."""
    red, green, blue = (
        (a * (STEPS - step) + b * step + STEPS // 2) // STEPS
        for a, b in zip(start, end, strict=True)
    )
    return red, green, blue
