"""Figures as text: in colours, else in shades, else in digits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import zip_longest
from textwrap import wrap

from grader.report.figures.ansi import NAN, Paint, ground, writing
from grader.report.figures.heatmap import STEPS, Figure, Heatmap, Scale, level, number, spoken

SHADES = " ░▒▓█"
GAP = "   "
BARE = 2
"""The width of a cell without room for its number."""

CROSS = "×"
"""Stands for NaN if there is no room for the word."""


class Depth(IntEnum):
    """How many colours the terminal has."""

    NONE = 0
    MANY = 256
    ALL = 1 << 24


@dataclass(frozen=True)
class Screen:
    """What is drawn on. ``plain`` asks for digits and more words, for screen readers.

    ``width`` None means no terminal.
    """

    width: int | None = 80
    depth: Depth = Depth.NONE
    unicode: bool = True
    plain: bool = False

    @property
    def digits(self) -> bool:
        """Whether only digits are left to draw with."""
        return self.plain or not self.unicode or self.width is None


def render(figure: Figure, screen: Screen) -> str:
    """The whole figure, newline at the end."""
    width = screen.width or 100
    blocks = [block for heatmap in figure.heatmaps for block in _blocks(heatmap, screen)]
    lines = [*wrap(figure.title, width), *([] if screen.digits else _legend(figure, screen))]
    row: list[list[str]] = []
    for block in blocks:
        if row and _wide(row) + len(GAP) + _cells(block[0]) > width:
            lines += ["", *_side_by_side(row)]
            row = []
        row.append(block)
    lines += ["", *_side_by_side(row)] if row else []
    said = spoken(figure) if screen.plain else figure.text
    lines += ["", *wrap(said, min(width, 100))] if said else []
    text = "".join(f"{line.rstrip()}\n" for line in lines)
    return text if screen.unicode else _ascii(text)


def _ascii(text: str) -> str:
    return text.replace("∞", "inf").replace("·", "_").encode("ascii", "replace").decode("ascii")


def _side_by_side(blocks: list[list[str]]) -> Iterator[str]:
    """Blocks side by side; all lines of a block have its width."""
    widths = [_cells(block[0]) for block in blocks]
    for lines in zip_longest(*blocks):
        yield GAP.join(
            " " * width if line is None else line for line, width in zip(lines, widths, strict=True)
        )


def _wide(blocks: list[list[str]]) -> int:
    return sum(_cells(block[0]) for block in blocks) + len(GAP) * (len(blocks) - 1)


def _blocks(heatmap: Heatmap, screen: Screen) -> Iterator[list[str]]:
    """The heatmap as one block, or as several if digits need more columns than there are."""
    labels = max((_cells(row) for row in heatmap.rows), default=0)
    labels = min(labels, max(3, (screen.width or 10_000) // 3))
    room = (screen.width or 10_000) - labels - 1
    across = len(heatmap.columns)
    need = 1 + max(len(_number(v, heatmap, screen)) for row in heatmap.values for v in row)
    if screen.digits:
        named = 1 + max(map(_cells, heatmap.columns), default=0)
        need = max(need, named) if max(need, named) * across <= room else need
        most = max(1, room // need)
        for start in range(0, across, most):
            part = slice(start, start + most)
            yield _block(_cut(heatmap, part), screen, labels, need)
        return
    marks = 0 if screen.depth else 2
    sizes = [size for size in (need + marks, BARE) if size * across <= room]
    yield _block(heatmap, screen, labels, sizes[0] if sizes else 1)


def _cut(heatmap: Heatmap, part: slice) -> Heatmap:
    values = tuple(row[part] for row in heatmap.values)
    return replace(heatmap, values=values, columns=heatmap.columns[part])


def _block(heatmap: Heatmap, screen: Screen, labels: int, size: int) -> list[str]:
    """Title, header and rows, padded to one width."""
    across = len(heatmap.columns)
    width = labels + 1 + size * across
    title = heatmap.title
    lines = [_fit(title, min(_cells(title), screen.width or 10_000))]
    lines += (" " * (labels + 1) + heads for heads in _heads(heatmap.columns, size))
    if size == 1 and screen.depth:
        lines += _halves(heatmap, screen, labels)
    else:
        for label, values in zip(heatmap.rows, heatmap.values, strict=True):
            drawn = "".join(_cell(value, heatmap, screen, size) for value in values)
            lines.append(f"{_fit(label, labels)} {drawn}")
    longest = max(width, _cells(lines[0]))
    return [line + " " * (longest - _cells(line)) for line in lines]


def _heads(columns: tuple[str, ...], size: int) -> Iterator[str]:
    """The labels of the columns; where one is wider than its column, all from top to bottom."""
    room = max(1, size - 1)
    tall = max(map(len, columns)) if max(map(_cells, columns)) > room else 1
    parts = (label.rjust(tall) if tall > 1 else [label] for label in columns)
    for line in zip(*parts, strict=True):
        yield "".join(_fit(part, room, right=True) + " " * (size - room) for part in line)


def _cell(value: float, heatmap: Heatmap, screen: Screen, size: int) -> str:
    """One number in ``size`` columns."""
    text = _number(value, heatmap, screen)
    fits = size > BARE
    step = level(value, heatmap)
    if screen.digits:
        return text.rjust(size - 1) + " "
    if screen.depth:
        text = text.rjust(size - 1) + " " if fits else CROSS[: step is None].center(size)
        return _painted(text, step, heatmap.scale, screen.depth)
    shade = CROSS if step is None else _shade(step, heatmap.scale)
    if fits:
        return shade * 2 + text.rjust(size - 3) + " "
    signed = heatmap.scale is Scale.SIGNED and step is not None and step != 0
    sign = ("+" if (step or 0) > 0 else "-") if signed else shade
    return (sign + shade)[-size:]


def _halves(heatmap: Heatmap, screen: Screen, labels: int) -> Iterator[str]:
    """Two rows per line: the upper half of a character in one colour, the lower in the other."""
    for top in range(0, len(heatmap.values), 2):
        pair = heatmap.values[top : top + 2]
        drawn = ""
        for column in range(len(heatmap.columns)):
            upper, *lower = (_paint(row[column], heatmap) for row in pair)
            drawn += _code(38, upper, screen.depth)
            drawn += _code(48, lower[0], screen.depth) if lower else ""
            drawn += "▀\x1b[0m"
        yield f"{_fit(heatmap.rows[top], labels)} {drawn}"


def _number(value: float, heatmap: Heatmap, screen: Screen) -> str:
    text = number(value, heatmap.scale)
    return text if screen.unicode else text.replace("∞", "inf")


def _shade(step: int, scale: Scale) -> str:
    share = abs(step) * (2 if scale is Scale.SIGNED else 1)
    return SHADES[(share * (len(SHADES) - 1) + STEPS // 2) // STEPS]


def _legend(figure: Figure, screen: Screen) -> Iterator[str]:
    """What the colours mean, once for each scale."""
    seen: list[tuple[Scale, float]] = []
    for heatmap in figure.heatmaps:
        key = heatmap.scale, heatmap.limit
        if key not in seen:
            seen.append(key)
            yield _scale_line(heatmap, screen)


def _scale_line(heatmap: Heatmap, screen: Screen) -> str:
    signed = heatmap.scale is Scale.SIGNED
    steps = range(-10, 11, 2) if signed else range(0, STEPS + 1, 2)
    if screen.depth:
        bar = "".join(_painted(" ", step, heatmap.scale, screen.depth) for step in steps)
    else:
        bar = "".join(_shade(step, heatmap.scale) for step in steps)
    if heatmap.scale is Scale.MASK:
        return f"hidden {bar} may attend"
    low, high = (-heatmap.limit, heatmap.limit) if signed else (0.0, 1.0)
    line = f"{number(low, heatmap.scale)} {bar} {number(high, heatmap.scale)}"
    name = "  difference" if heatmap.title.startswith("Difference") else ""
    return line + name if _cells(line + name) <= (screen.width or 80) else line


def _paint(value: float, heatmap: Heatmap) -> Paint:
    step = level(value, heatmap)
    return NAN if step is None else ground(step, heatmap.scale)


def _painted(text: str, step: int | None, scale: Scale, depth: Depth) -> str:
    if step is None:
        return f"\x1b[7m{text}\x1b[0m"
    back, front = ground(step, scale), writing(step, scale, many=depth is Depth.ALL)
    return f"{_code(48, back, depth)}{_code(38, front, depth)}{text}\x1b[0m"


def _code(where: int, paint: Paint, depth: Depth) -> str:
    """The sequence that sets the text's colour (``where`` 38) or its background (48)."""
    if depth is Depth.ALL:
        return "\x1b[{};2;{};{};{}m".format(where, *paint.rgb)
    return f"\x1b[{where};5;{paint.index}m"


def _fit(label: str, width: int, *, right: bool = False) -> str:
    """``label`` in exactly ``width`` columns."""
    from rich.cells import set_cell_size

    if _cells(label) > width:
        return set_cell_size(label, width)
    space = " " * (width - _cells(label))
    return space + label if right else label + space


def _cells(line: str) -> int:
    """The columns that ``line`` takes, not counting colour codes."""
    from rich.cells import cell_len

    if "\x1b" in line:
        import re

        line = re.sub("\x1b\\[[0-9;]*m", "", line)
    return cell_len(line)
