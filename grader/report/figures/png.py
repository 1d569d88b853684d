"""Figures as a PNG picture, drawn with Pillow on a light background."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from grader.report.figures.heatmap import Figure, level, number
from grader.report.figures.layout import GAP, LETTER, NUMBERED, Placed, place
from grader.report.figures.palette import LIGHT, colour, ink

if TYPE_CHECKING:
    from PIL import Image, ImageDraw, ImageFont

ZOOM = 2
"""Picture pixels per layout pixel: sharp on today's screens."""

WIDE = 1200
"""Three heatmaps of twelve columns fit side by side."""

HEAD = 24
"""Room for a figure's title."""


def render(figures: Sequence[Figure]) -> bytes:
    """All figures, one below the other, as the bytes of a PNG file."""
    from PIL import Image, ImageDraw

    laid = [(figure, *place(figure, within=WIDE)) for figure in figures]
    titles = (int(len(figure.title) * (LETTER + 1.5)) + GAP for figure in figures)
    width = max([*(wide for _, _, wide, _ in laid), *titles], default=GAP)
    height = sum(tall + HEAD for _, _, _, tall in laid) + GAP // 2
    image = Image.new("RGB", (width * ZOOM, height * ZOOM), LIGHT.surface)
    draw, y = ImageDraw.Draw(image), 0
    for figure, placed, _, tall in laid:
        _write(draw, GAP // 2, y + HEAD - 6, figure.title, 15)
        for one in placed:
            _heatmap(image, draw, one, y + HEAD)
        y += tall + HEAD
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _heatmap(image: Image.Image, draw: ImageDraw.ImageDraw, one: Placed, down: int) -> None:
    x, y, cell = one.x, one.y + down, one.cell
    _write(draw, x, y + 12, one.heatmap.title, 13)
    for index, label in enumerate(one.heatmap.rows):
        middle = y + one.top + cell * index + cell // 2
        _write(draw, x + one.left - 5, middle + 4, label, 12, anchor="rs")
    for index, label in enumerate(one.heatmap.columns):
        across = x + one.left + cell * index + cell // 2
        if one.turned:
            _upwards(image, across, y + one.top - 5, label)
        else:
            _write(draw, across, y + one.top - 5, label, 12, anchor="ms")
    for row, values in enumerate(one.heatmap.values):
        for column, value in enumerate(values):
            corner = x + one.left + cell * column, y + one.top + cell * row
            _cell(draw, one, corner, value)


def _cell(draw: ImageDraw.ImageDraw, one: Placed, corner: tuple[int, int], value: float) -> None:
    (x, y), scale = corner, one.heatmap.scale
    step = level(value, one.heatmap)
    box = (x * ZOOM, y * ZOOM, (x + one.cell) * ZOOM - 3, (y + one.cell) * ZOOM - 3)
    if step is None:
        draw.line((box[0] + 6, box[1] + 6, box[2] - 6, box[3] - 6), LIGHT.ink, ZOOM)
        draw.line((box[0] + 6, box[3] - 6, box[2] - 6, box[1] + 6), LIGHT.ink, ZOOM)
        return
    draw.rectangle(box, colour(step, scale, LIGHT))
    if one.cell >= NUMBERED:
        text = number(value, scale)
        size = 9 if len(text) * LETTER > one.cell else 11
        middle = x + one.cell // 2 - 1, y + one.cell // 2 + 3
        _write(draw, *middle, text, size, anchor="ms", fill=ink(step, scale, LIGHT))


def _write(
    draw: ImageDraw.ImageDraw,
    x: int,
    y: int,
    text: str,
    size: int,
    *,
    anchor: str = "ls",
    fill: tuple[int, int, int] = LIGHT.ink,
) -> None:
    draw.text((x * ZOOM, y * ZOOM), text, fill, _font(size), anchor)


def _upwards(image: Image.Image, x: int, y: int, label: str) -> None:
    """A label that reads upwards, its end in the middle of its column."""
    from PIL import Image, ImageDraw

    font = _font(12)
    wide = int(font.getlength(label)) + 2
    strip = Image.new("RGB", (wide, 16 * ZOOM), LIGHT.surface)
    ImageDraw.Draw(strip).text((0, 12 * ZOOM), label, LIGHT.ink, font, "ls")
    turned = strip.rotate(90, expand=True)
    image.paste(turned, ((x - 8) * ZOOM, y * ZOOM - wide))


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The font that Pillow bundles, so that a picture looks the same everywhere."""
    from PIL import ImageFont

    return ImageFont.load_default(size * ZOOM)
