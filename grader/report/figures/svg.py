"""Figures as SVG: a separate file, or part of a page.

A cell is eleven characters of a path; there is one path per level. The same figure yields the
same bytes on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from grader.report.figures.heatmap import STEPS, Figure, Heatmap, Scale, level, number, spoken
from grader.report.figures.layout import LARGE, LETTER, NUMBERED, SMALL, Placed, place
from grader.report.figures.palette import DARK, LIGHT, Theme, colour, css, ink


def document(figure: Figure, largest: int = LARGE) -> str:
    """The figure as an SVG file, light or dark like the reader's system.

    ``largest`` is the maximum size of a cell.
    """
    body, width, height = _body(figure, largest)
    used = {name for heatmap in figure.heatmaps for name in _names(heatmap)}
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" class="hm" role="img" '
        'aria-labelledby="title desc">\n'
        f'<title id="title">{_text(figure.title)}</title>\n'
        f'<desc id="desc">{_text(spoken(figure))}</desc>\n'
        f"<style>\n{style(used)}</style>\n"
        f'<rect class="ground" width="{width}" height="{height}" rx="6"/>\n{body}</svg>\n'
    )


def fragment(figure: Figure, name: str, *, small: bool = False) -> str:
    """The figure as an ``<svg>`` for a page that has :func:`style` in it once.

    ``name`` starts its ids, and must differ for each figure of the page. ``small`` makes it a
    third as large on the page and on disk, and leaves out the numbers.
    """
    body, width, height = _body(figure, SMALL if small else LARGE)
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" class="hm" '
        f'role="img" aria-labelledby="{escape(name)}-t {escape(name)}-d">\n'
        f'<title id="{escape(name)}-t">{_text(figure.title)}</title>\n'
        f'<desc id="{escape(name)}-d">{_text(spoken(figure))}</desc>\n{body}</svg>\n'
    )


def style(used: Iterable[str] | None = None) -> str:
    """The rules for both backgrounds; ``used`` names the needed levels, None means all."""
    names = sorted(set(_every_name()) if used is None else set(used))
    light, dark = _rules(names, LIGHT), _rules(names, DARK)
    return (
        ".hm text{font:12px ui-sans-serif,system-ui,sans-serif}\n"
        ".hm .title{font-weight:600}\n.hm .in{text-anchor:middle;font-size:11px}\n"
        ".hm .row{text-anchor:end}.hm .tight{font-size:9px}.hm{max-width:100%;height:auto}\n"
        f"{light}@media (prefers-color-scheme:dark){{\n{dark}}}\n"
        "@media print{.hm{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n"
    )


def _rules(names: list[str], theme: Theme) -> str:
    lines = [
        f".hm .ground{{fill:{css(theme.surface)}}}.hm text{{fill:{css(theme.ink)}}}",
        f".hm .nan{{fill:none;stroke:{css(theme.ink)};stroke-width:.08}}",
    ]
    for name in names:
        scale = Scale.SIGNED if name[0] in "np" else Scale.WEIGHT
        step = int(name[1:]) * (-1 if name[0] == "n" else 1)
        cell, text = colour(step, scale, theme), ink(step, scale, theme)
        lines.append(f".hm .{name}{{fill:{css(cell)}}}.hm .t{name} text{{fill:{css(text)}}}")
    return "\n".join(lines) + "\n"


def _every_name() -> Iterable[str]:
    yield from (f"w{step}" for step in range(STEPS + 1))
    yield from (f"{sign}{step}" for sign in "np" for step in range(STEPS // 2 + 1))


def _names(heatmap: Heatmap) -> Iterable[str]:
    for row in heatmap.values:
        for value in row:
            if (name := _name(value, heatmap)) is not None:
                yield name


def _name(value: float, heatmap: Heatmap) -> str | None:
    """The class of a cell: ``w12``, or ``n3`` and ``p3`` with a sign; None for NaN."""
    step = level(value, heatmap)
    if step is None:
        return None
    if heatmap.scale is not Scale.SIGNED:
        return f"w{step}"
    return f"n{-step}" if step < 0 else f"p{step}"


def _body(figure: Figure, largest: int) -> tuple[str, int, int]:
    """All heatmaps, laid out in rows, and their total width and height."""
    placed, width, height = place(figure, largest)
    parts = (f'<g transform="translate({one.x} {one.y})">\n{_drawn(one)}</g>\n' for one in placed)
    return "".join(parts), width, height


def _drawn(one: Placed) -> str:
    heatmap, cell = one.heatmap, one.cell
    lines = [f'<text class="title" x="0" y="12">{_text(heatmap.title)}</text>']
    for index, label in enumerate(heatmap.rows):
        y = one.top + cell * index + cell // 2 + 4
        lines.append(f'<text class="row" x="{one.left - 5}" y="{y}">{_text(label)}</text>')
    for index, label in enumerate(heatmap.columns):
        x, y = one.left + cell * index + cell // 2, one.top - 5
        where = f'transform="translate({x + 4} {y}) rotate(-90)"'
        where = where if one.turned else f'x="{x}" y="{y}" text-anchor="middle"'
        lines.append(f"<text {where}>{_text(label)}</text>")
    lines.append(f'<g transform="translate({one.left} {one.top}) scale({cell})">')
    lines += [*_cells(heatmap), "</g>"]
    if cell >= NUMBERED:
        lines += _numbers(one)
    return "\n".join(lines) + "\n"


def _cells(heatmap: Heatmap) -> Iterable[str]:
    """One path per level, in units of a cell; NaN is a cross."""
    paths: dict[str, list[str]] = {}
    for y, row in enumerate(heatmap.values):
        for x, value in enumerate(row):
            name = _name(value, heatmap)
            drawn = f"M{x} {y}h.95v.95H{x}z"
            if name is None:
                drawn = f"M{x}.2 {y}.2l.55 .55m0-.55l-.55 .55"
            paths.setdefault(name or "nan", []).append(drawn)
    for name in sorted(paths):
        yield f'<path class="{name}" d="{"".join(paths[name])}"/>'


def _numbers(one: Placed) -> Iterable[str]:
    """The numbers in the cells, grouped by text colour."""
    heatmap, cell = one.heatmap, one.cell
    groups: dict[str, list[str]] = {}
    for row, values in enumerate(heatmap.values):
        for column, value in enumerate(values):
            name = _name(value, heatmap)
            if name is None:
                continue
            x = one.left + cell * column + cell // 2 - 1
            y = one.top + cell * row + cell // 2 + 3
            text = number(value, heatmap.scale)
            kind = "in tight" if len(text) * LETTER > cell else "in"
            groups.setdefault(name, []).append(
                f'<text class="{kind}" x="{x}" y="{y}">{text}</text>'
            )
    for name in sorted(groups):
        yield f'<g class="t{name}">{"".join(groups[name])}</g>'


def _text(text: str) -> str:
    return escape(text, quote=False)
