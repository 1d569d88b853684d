"""What a notebook has of a lesson: its examples as cells, and its live figures in frames."""

from __future__ import annotations

import re
from collections.abc import Iterator
from doctest import DocTestParser
from html import escape
from pathlib import Path
from string import Template
from textwrap import indent

from book import explorer, pages

THEME = Path(__file__).resolve().parent / "theme"
SCRIPTS = {"live": ("figures",), "explorer": ("gpt2", "model", "explorer")}
"""What each kind of figure runs, after the scripts that both need."""

FRAME = '<iframe hidden title="Figure" style="border: 0; width: 100%" srcdoc="{}"></iframe>'

CELL = """\
# Run this cell: {what}.
from IPython.display import HTML
from book.notebook import frame

HTML(frame("{kind}", "{name}"))"""
SESSION = re.compile(r"^```pycon\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
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
        if one.exc_msg is not None:
            if code:
                yield code, ""
            name, _, message = one.exc_msg.strip().partition(": ")
            shown = f"{name.rpartition('.')[2]}: {message}\n"
            yield RAISES.format(source=indent(one.source, "    ").rstrip()), shown
            code = ""
            continue
        code += one.source
        if one.want:
            yield code, one.want
            code = ""
    if code:
        yield code, ""


def cell(kind: str, name: str) -> str:
    """The code of a cell that shows a figure."""
    what = "the explorer opens" if kind == "explorer" else "the figure comes alive"
    return CELL.format(what=what, kind=kind, name=name)


def frame(kind: str, name: str) -> str:
    """A figure for the output of a cell; nothing in it comes from elsewhere.

    The frame keeps the notebook's styles and the book's apart. A notebook that is not trusted has
    no frames, and shows what is before it.
    """
    static, place = THEME / "static", pages.place(kind, name)
    scripts = [
        explorer.script() if one == "model" else (static / f"{one}.js").read_text(encoding="utf-8")
        for one in ("book", "core", "parts", *SCRIPTS[kind])
    ]
    page = Template((THEME / "frame.html").read_text(encoding="utf-8")).substitute(
        style=(static / "book.css").read_text(encoding="utf-8"),
        place=place,
        scripts="".join("<script>" + one.replace("</", "<\\/") + "</script>\n" for one in scripts),
    )
    return f'<div class="still">{place}</div>{FRAME.format(escape(page))}'
