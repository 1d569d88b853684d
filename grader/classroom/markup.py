"""The parts of a page: text, sections, tables. All text that is not ours goes through ``text``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def text(given: str) -> str:
    """Return any text as HTML."""
    return escape(given)


def section(name: str, title: str, body: str) -> str:
    """Return a section with its heading, whose id is ``name``."""
    return (
        f'<section aria-labelledby="{name}">\n<h2 id="{name}" tabindex="-1">{title}</h2>\n'
        f"{body}</section>\n"
    )


def table(name: str, caption: str, heads: Sequence[tuple[str, bool]], rows: Iterable[str]) -> str:
    """Return a table whose headers are sort buttons; each header says whether it is numeric."""
    cells = "".join(
        f'<th scope="col"{" class=number" if number else ""}>'
        f'<button type="button">{text(head)}</button></th>'
        for head, number in heads
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{text(caption)}">'
        f'<table id="{name}">\n<caption>{text(caption)}</caption>\n'
        f"<thead><tr>{cells}</tr></thead>\n<tbody>\n{''.join(rows)}</tbody>\n</table></div>\n"
    )


def number(value: float | None, most: float) -> str:
    """Return a cell with a number out of ``most``; a dash where there is none."""
    shown = "–" if value is None else f"{value} / {most}"
    return f'<td class="number" data-sort="{-1 if value is None else value}">{shown}</td>'


def rate(passed: int, whole: int) -> str:
    """Return a cell with a percentage and a bar."""
    share = 100 * passed / whole if whole else 0.0
    return (
        f'<td class="number" data-sort="{share:.3f}"><span class="bar" aria-hidden="true">'
        f'<i style="width:{share:.1f}%"></i></span>{share:.0f} %</td>'
    )
