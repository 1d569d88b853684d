"""How to write to one destination: which characters, which colours, how wide."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

MARKS = {"pass": "✅", "fail": "❌", "not_run": "➖", "error": "⛔"}
ASCII_MARKS = {"pass": "[pass]", "fail": "[FAIL]", "not_run": "[not run]", "error": "[error]"}
WORD_MARKS = {"pass": "passed:", "fail": "failed:", "not_run": "not run:", "error": "error:"}
COLOURS = (
    (("✅", "[pass]", "+ ", "🎉", "✓ "), "green"),
    (("❌", "[FAIL]", "- ", "⚠️", "✗ ", "▶ "), "red"),
    (("➖", "[not run]", "↓ "), "dim"),
    (("⛔", "[error]"), "yellow"),
    (("   Hint:", "@@"), "cyan"),
    (("Running tests", "Fix this first", "# "), "bold"),
)
"""The colour of a line, by how it starts."""
QUOTED = re.compile(r"   Line \d+(:|$)|   +\d+ [│|:] ")
"""How a line of the learner's program starts; a sentence on a line continues in words."""


@dataclass(frozen=True)
class Style:
    """The defaults are a UTF-8 file: marks, no colour, no wrapping.

    ``width`` None does not wrap. ``words`` is for screen readers: words instead of marks, no
    rules, boxes or bars.
    """

    unicode: bool = True
    words: bool = False
    colour: bool = False
    width: int | None = None

    @property
    def marks(self) -> Mapping[str, str]:
        """What precedes a check's sentence, by its status."""
        if self.words:
            return WORD_MARKS
        return MARKS if self.unicode else ASCII_MARKS

    def text(self, text: str) -> str:
        """``text`` in the characters of this destination."""
        return text if self.unicode else text.encode("ascii", "replace").decode("ascii")


FILE = Style()
"""For a file, and for what a lesson shows."""


def style_of(stream: TextIO, environment: Mapping[str, str] = os.environ, *, plain: bool) -> Style:
    """How to write to ``stream``: colour and width only in a terminal that has them."""
    encoding = (getattr(stream, "encoding", "") or "").lower().replace("-", "")
    base = Style(unicode=encoding == "utf8", words=plain)
    if not stream.isatty():
        return base
    colour = not plain and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"
    return replace(base, colour=colour, width=max(20, shutil.get_terminal_size().columns))


def paint(text: str, style: Style) -> str:
    """``text`` with its lines wrapped to the width, with their indent kept, and coloured."""
    if style.width is None:
        return text
    try:
        from rich.console import Console
        from rich.text import Text
    except ImportError:  # a broken installation, which `doctor` must report
        return text

    console = Console(
        force_terminal=True,
        color_system="standard" if style.colour else None,
        no_color=not style.colour,
        highlight=False,
        width=style.width,
        legacy_windows=False,
    )
    lines = [
        _wrapped(Text(line, _colour(line)), style, style.width, console)
        for line in text.splitlines()
    ]
    with console.capture() as captured:
        console.print(Text("\n").join(lines), soft_wrap=True)
    return captured.get()


def _colour(line: str) -> str:
    if QUOTED.match(line):
        return "dim"
    return next((colour for starts, colour in COLOURS if line.startswith(starts)), "")


def _wrapped(line: Text, style: Style, width: int, console: Console) -> Text:
    """``line`` in as many lines as needed, the later ones indented; quoted code is cut."""
    if line.cell_len <= width:
        return line
    if QUOTED.match(line.plain):
        line.truncate(width - (1 if style.unicode else 3))
        return line.append("…" if style.unicode else "...")
    if set(line.plain) == {"="}:  # a rule
        return line[:width]
    indent = min(len(line.plain) - len(line.plain.lstrip()) + 3, width // 3)
    first = line.wrap(console, width)[0]
    rest = line[len(first.plain) :]
    rest = rest[len(rest.plain) - len(rest.plain.lstrip()) :]
    parts = [first, *rest.wrap(console, width - indent)] if rest else [first]
    for part in parts:
        part.rstrip()
    return line.blank_copy("\n" + " " * indent).join(parts)
