"""What ``watch`` shows: pure functions that return lines that fit the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.base.model import Status
from grader.report import as_text
from grader.report.style import paint

if TYPE_CHECKING:
    from grader.base.model import Report
    from grader.report.style import Style

KEYS = (
    ("h", "hint"),
    ("t", "trace"),
    ("n", "next"),
    ("p", "previous"),
    ("l", "list"),
    ("s", "solution"),
    ("r", "reset"),
    ("q", "quit"),
)
PRINTED = 12
"""How many lines of the program's output are shown."""
SCROLL = ("space/b", "scroll")
BACK = ("enter", "report")


@dataclass(frozen=True)
class View:
    """A text, scrolled down by ``offset`` lines. ``back``: it is not the report."""

    text: str
    offset: int = 0
    back: bool = False


def frame(header: Sequence[str], view: View, style: Style, rows: int) -> tuple[list[str], int]:
    """Return the lines of the screen, ``rows`` at most, and how far the text is really scrolled.

    ``header`` has the parts of the first line, the least important last: that is dropped if there
    is no room.
    """
    body = paint(view.text, style).splitlines()
    bottom = _keys(view, style, rows, more=False)
    if more := len(body) > rows - 2 - len(bottom):
        bottom = _keys(view, style, rows, more=True)
    room = max(1, rows - 2 - len(bottom))
    offset = max(0, min(view.offset, len(body) - room))
    shown = body[offset : offset + room]
    where = [f"lines {offset + 1}-{offset + len(shown)} of {len(body)}"] if more else []
    top = _header([*header[:1], *where, *header[1:]], style)
    return [top, "", *shown, *[""] * (room - len(shown)), *bottom], offset


def _header(parts: Sequence[str], style: Style) -> str:
    width = style.width or 80
    line = parts[0] if len(parts[0]) <= width else parts[0][: width - 1] + ("…" * style.unicode)
    for part in parts[1:]:
        if len(line) + 2 + len(part) <= width:
            line += f", {part}"
    return line


def _keys(view: View, style: Style, rows: int, *, more: bool) -> list[str]:
    """Return the keys with their names, or only the keys if names would fill much of the screen."""
    lines = footer(style, more=more, back=view.back)
    if len(lines) * 6 <= rows:
        return lines
    return [" ".join(["keys:", *(key for key, _ in _offered(more, view.back))])[: style.width]]


def _offered(more: bool, back: bool) -> list[tuple[str, str]]:
    return [*KEYS, *([SCROLL] if more else ()), *([BACK] if back else ())]


def footer(style: Style, *, more: bool = False, back: bool = False) -> list[str]:
    """Return the keys in as many lines as needed; ``more`` adds scrolling, ``back`` a way back."""
    names = [f"{key} {name}" for key, name in _offered(more, back)]
    lines = [names[0]]
    for name in names[1:]:
        if len(lines[-1]) + 2 + len(name) <= (style.width or 80):
            lines[-1] += f"  {name}"
        else:
            lines.append(name)
    return lines


def report_text(report: Report, style: Style, levels: Mapping[str, int], room: int) -> str:
    """Return the whole report; if it takes more than ``room`` lines, a shorter one.

    That begins with what to fix first, because a screen shows the beginning, and only counts the
    checks that pass.
    """
    text = as_text.render(report, style, levels=levels)
    if len(paint(text, style).splitlines()) <= room:
        return text
    if report.problem is not None:
        return text
    lines = [*_first(report, style, levels)]
    others = [check for check in report.checks if check.status in (Status.FAIL, Status.ERROR)]
    explained = report.explanation
    told = int(explained is not None and not explained.blanks)  # the first check is in it
    settled = as_text.settled(report)
    lines += as_text.several(others[told:], style, levels, settled=settled)
    lines += as_text.waiting(report, style)
    lines += [as_text.passing(report, style)] if report.score else []
    lines += [f"Note: {note}" for note in report.notes]
    if report.output:
        lines += ["", "Your program printed:", *_printed(report.output.splitlines())]
    lines += ["", as_text.closing(report, style)]
    return style.text("\n".join(lines) + "\n")


def _first(report: Report, style: Style, levels: Mapping[str, int]) -> Iterator[str]:
    """Yield what to fix first; nothing after a pass."""
    if told := as_text.explanation(report, style, levels):
        yield from (*told, "")


def _printed(lines: Sequence[str]) -> list[str]:
    """Return what a program printed; only the start if it is long."""
    shown = [f"  | {line}" for line in lines[:PRINTED]]
    left = len(lines) - len(shown)
    return [*shown, f"  ... and {left} more lines, which a plain run shows"] if left else shown
