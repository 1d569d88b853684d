"""What is drawn: grids of numbers with labels, and which of the few colour levels a number gets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from grader.base.model import Grid

STEPS = 20
"""Levels of a weight: 0 to ``STEPS``. Half as many in each direction for signed numbers."""

DECIMALS = 9
"""Numbers are rounded to this before any other use.

The last bits of a float64 depend on the machine, and a picture must not.
"""


class Scale(StrEnum):
    """What the colours mean."""

    WEIGHT = "weight"
    """From 0 to 1."""

    MASK = "mask"
    """What is added to a score; drawn as the factor exp(number) on a weight."""

    SIGNED = "signed"
    """From ``-limit`` over 0 to ``limit``."""


@dataclass(frozen=True)
class Heatmap:
    """One grid with its labels. ``note`` says in a sentence what to see in it."""

    title: str
    values: Grid
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    scale: Scale = Scale.WEIGHT
    limit: float = 1.0
    note: str = ""


@dataclass(frozen=True)
class Figure:
    """Heatmaps that belong together. ``text`` describes them for people who cannot see them."""

    title: str
    text: str
    heatmaps: tuple[Heatmap, ...]


def level(value: float, heatmap: Heatmap) -> int | None:
    """The colour level of ``value``; None for NaN. Numbers beyond the scale get the last level."""
    if math.isnan(value):
        return None
    match heatmap.scale:
        case Scale.WEIGHT:
            share = value
        case Scale.MASK:
            share = math.exp(min(value, 0.0))
        case Scale.SIGNED:
            limit = heatmap.limit or 1.0
            return round(round(max(-1.0, min(1.0, value / limit)), DECIMALS) * (STEPS // 2))
    return round(round(max(0.0, min(1.0, share)), DECIMALS) * STEPS)


def number(value: float, scale: Scale) -> str:
    """``value`` in at most six characters."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    value = round(value, DECIMALS) + 0.0
    size = abs(value)
    if value == 0:
        return "0"
    if size >= 999.5:
        mantissa, power = f"{value:.0e}".split("e")
        return f"{mantissa}e{int(power)}"
    if scale is Scale.SIGNED and size >= 9.995:
        return f"{value:.0f}" if size >= 99.95 else f"{value:.1f}"
    text = f"{value:.2f}".replace("-0.00", "0.00")
    if scale is Scale.SIGNED:
        return text
    return "1" if text == "1.00" else text.replace("0.", ".", 1)


def whole(value: float) -> str:
    """``value`` for a table or a sentence."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "infinity" if value > 0 else "minus infinity"
    return f"{round(value, DECIMALS) + 0.0:.4g}"


def spoken(figure: Figure) -> str:
    """All that the figure shows, in sentences."""
    notes = (f"{heatmap.title}: {heatmap.note}" for heatmap in figure.heatmaps if heatmap.note)
    return " ".join(filter(None, (figure.text, *notes)))
