"""Turns the course's Markdown into that of the book: links between pages, pictures, formulas."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path, PurePosixPath

from grader.base.course import ROOT

FENCE = re.compile(r"(^(?P<marks>`{3,})[^\n]*\n.*?^(?P=marks)[ ]*$\n?)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?)\[((?:[^\]\[`]|`[^`]*`)*)\]\((?!https?:)([^)\s]+)\)")
MARKER = re.compile(r"^<!--.*?-->\n", re.MULTILINE)
STYLE = re.compile(r"<style>.*?</style>\n?", re.DOTALL)


def convert(text: str, origin: PurePosixPath, places: Mapping[str, str]) -> str:
    """The Markdown of a file of the repository, for the book.

    Args:
        text: Its text, or a part of it.
        origin: Its path from the root.
        places: The page of the book for each file that has one, by the file's path.
    """

    def link(match: re.Match[str]) -> str:
        image, said, target = match.groups()
        path, _, anchor = target.partition("#")
        place = _resolve(origin, path) if path else str(origin)
        if image and not place.endswith(".svg"):
            return f"![{said}](/{PurePosixPath(place).name})"
        if image:
            return picture(place, " ".join(said.split()))
        if place not in places:
            return said if said.startswith("`") else f"*{said}*"
        return f"[{said}](/{places[place]}{'#' if anchor else ''}{anchor})"

    return outside_code(text, lambda prose: LINK.sub(link, MARKER.sub("", prose)))


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """The text with everything changed but what is in fences."""
    parts = FENCE.split(text)
    pairs = zip(parts[::3], [*parts[1::3], ""], strict=True)
    return "".join(change(prose) + code for prose, code in pairs)


def section(path: Path, *headings: str) -> str:
    """The sections of a Markdown file under ``headings``, headings included.

    Raises:
        KeyError: there is no such section.
    """
    parts = re.split(r"^## (.+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    return "".join(f"## {heading}\n{found[heading]}" for heading in headings)


def picture(path: str, said: str) -> str:
    """A figure with the SVG file at ``path`` inside the page, so that it follows the theme."""
    svg = (ROOT / path).read_text(encoding="utf-8")
    name = re.sub(r"\W+", "-", PurePosixPath(path).stem)
    svg = STYLE.sub("", svg).replace('"title desc"', f'"{name}-t {name}-d"')
    svg = svg.replace('<title id="title">', f'<title id="{name}-t">')
    described = f'<desc id="{name}-d">{escape(said, quote=False)}</desc>'
    svg = re.sub(r'(?s)<desc id="desc">.*?</desc>', lambda _: described, svg)
    return raw(f'<figure class="picture">\n{svg.strip()}\n</figure>')


def raw(html: str) -> str:
    """HTML as a block of Markdown."""
    return f"```{{raw}} html\n{html}\n```\n"


def _resolve(origin: PurePosixPath, target: str) -> str:
    parts: list[str] = []
    for part in [*origin.parent.parts, *target.split("/")]:
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
