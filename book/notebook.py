"""What a notebook has of a lesson: its examples as cells, and its live figures in frames."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from doctest import DocTestParser
from html import escape
from pathlib import Path
from string import Template
from textwrap import indent

from book import explorer, pages

THEME = Path(__file__).resolve().parent / "theme"
STYLE = (THEME / "static" / "book.css").read_text(encoding="utf-8")
SCRIPTS = {"live": ("figures",), "explorer": ("gpt2", "model", "explorer")}
"""What each kind of figure runs, after the scripts that both need."""

FRAME = '<iframe hidden title="Figure" style="border: 0; width: 100%" srcdoc="{}"></iframe>'

CELL = """\
# Run this cell to bring it to life.
from IPython.display import HTML
from book.notebook import frame

HTML(frame("{kind}", "{name}"))"""
RAISES = """\
try:
{source}
except Exception as error:
    print(f"{{type(error).__name__}}: {{error}}")
"""
"""How an example of an error becomes a cell: all cells can be run at once."""


def examples(session: str) -> Iterator[tuple[str, str]]:
    """The cells of a Python session, each up to where something is shown; and what is shown."""
    code = ""
    for one in DocTestParser().get_examples(session):
        source, shown = one.source, one.want
        if one.exc_msg is not None:
            source = RAISES.format(source=indent(source, "    ").rstrip())
            name, _, message = one.exc_msg.strip().partition(": ")
            shown = f"{name.rpartition('.')[2]}: {message}\n"
        code += source
        if shown:
            yield code, shown
            code = ""
    if code:
        yield code, ""


def still(kind: str, name: str) -> str:
    """A figure as it is without scripts. Its drawing is an image, which any notebook may show."""

    def image(svg: re.Match[str]) -> str:
        opening = f'<svg xmlns="http://www.w3.org/2000/svg"{svg[1]}<style>{escape(STYLE)}</style>'
        data = b64encode(f"{opening}{svg[3]}</svg>".encode()).decode()
        return f'<img alt="{svg[2]}" src="data:image/svg+xml;base64,{data}">'

    return re.sub(r'<svg([^>]*aria-label="(.*?)">)(.*)</svg>', image, pages.place(kind, name))


def frame(kind: str, name: str) -> str:
    """A figure for the output of a cell; nothing in it comes from elsewhere.

    The frame keeps the notebook's styles and the book's apart. A notebook that is not trusted has
    no frames, and shows what is before it.
    """
    scripts = [
        explorer.script() if one == "model" else (THEME / "static" / f"{one}.js").read_text("utf-8")
        for one in ("book", "core", "parts", *SCRIPTS[kind])
    ]
    page = Template((THEME / "frame.html").read_text(encoding="utf-8")).substitute(
        style=STYLE,
        place=pages.place(kind, name),
        scripts="".join("<script>" + one.replace("</", "<\\/") + "</script>\n" for one in scripts),
    )
    return f'<div class="still">{still(kind, name)}</div>{FRAME.format(escape(page))}'
