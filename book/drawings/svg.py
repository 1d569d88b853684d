"""A small writer of SVG. Colours come from the page's stylesheet, by class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape

Point = tuple[float, float]


class Drawing:
    """Shapes in the order in which they are drawn; lengths in CSS pixels at full size."""

    def __init__(self, name: str, width: float, height: float, title: str, told: str) -> None:
        """Begin a drawing.

        Args:
            name: Starts its ids; another one for each drawing of a page.
            width: Of the whole drawing.
            height: Of the whole drawing.
            title: Its name, for those who do not see it.
            told: What it shows, for the same readers.
        """
        self._name, self._size = name, (width, height)
        self._title, self._told = title, told
        self._parts: list[str] = []

    def markup(self, extra: str = "") -> str:
        """The ``<svg>``; ``extra`` are more classes."""
        width, height = map(_number, self._size)
        name = escape(self._name)
        return (
            f'<svg class="drawing {extra}" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" role="img" aria-labelledby="{name}-t {name}-d">\n'
            f'<title id="{name}-t">{escape(self._title, quote=False)}</title>\n'
            f'<desc id="{name}-d">{escape(self._told, quote=False)}</desc>\n'
            + "\n".join(self._parts)
            + "\n</svg>"
        )

    @contextmanager
    def group(self, kind: str) -> Iterator[None]:
        """What is drawn inside shares a class."""
        self._parts.append(f'<g class="{kind}">')
        yield
        self._parts.append("</g>")

    def rect(self, at: Point, size: Point, kind: str, radius: float = 0) -> None:
        """A rectangle; ``at`` is its upper left corner."""
        (x, y), (width, height) = at, size
        rounded = f' rx="{_number(radius)}"' if radius else ""
        self._parts.append(
            f'<rect class="{kind}" x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" '
            f'height="{_number(height)}"{rounded}/>'
        )

    def circle(self, at: Point, radius: float, kind: str) -> None:
        """A circle."""
        x, y = map(_number, at)
        self._parts.append(f'<circle class="{kind}" cx="{x}" cy="{y}" r="{_number(radius)}"/>')

    def text(self, at: Point, said: str, kind: str = "", anchor: str = "start") -> None:
        """Words; ``at`` is on their base line. ``anchor``: start, middle or end."""
        x, y = map(_number, at)
        where = "" if anchor == "start" else f' text-anchor="{anchor}"'
        named = f' class="{kind}"' if kind else ""
        self._parts.append(
            f'<text{named} x="{x}" y="{y}"{where}>{escape(said, quote=False)}</text>'
        )

    def path(self, points: Sequence[Point], kind: str, *, closed: bool = False) -> None:
        """Straight lines from point to point."""
        steps = "L".join(f"{_number(x)} {_number(y)}" for x, y in points)
        self._parts.append(f'<path class="{kind}" d="M{steps}{"z" if closed else ""}"/>')

    def arrow(self, *points: Point, kind: str = "wire") -> None:
        """Lines with a head at the end. The last one must be horizontal or vertical."""
        (x0, y0), (x, y) = points[-2:]
        dx, dy = (x > x0) - (x < x0), (y > y0) - (y < y0)
        self.path([*points[:-1], (x - 4 * dx, y - 4 * dy)], kind)
        sides = [(x - 6 * dx + 3.5 * s * dy, y - 6 * dy + 3.5 * s * dx) for s in (1, -1)]
        self.path([(x, y), *sides], "head", closed=True)

    def box(self, at: Point, size: Point, said: str, kind: str = "box") -> None:
        """A box with words in the middle; a second line after a line break is small."""
        self.rect(at, size, kind, 5)
        x, y = at[0] + size[0] / 2, at[1] + size[1] / 2
        first, _, second = said.partition("\n")
        self.text((x, y + (-2 if second else 4.5)), first, anchor="middle")
        if second:
            self.text((x, y + 11), second, "small", anchor="middle")


def _number(value: float) -> str:
    """A length with at most one digit after the point."""
    return f"{value:.1f}".removesuffix(".0")
