"""CSV per RFC 4180, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""With these a spreadsheet takes a cell for a formula and runs it."""

Cell = str | int | float | None


def render(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """The table as text, lines ending in CR LF."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([harmless(cell) for cell in header])
    writer.writerows([harmless(cell) for cell in row] for row in rows)
    return text.getvalue()


def harmless(cell: Cell) -> Cell:
    """The cell, with an apostrophe before a would-be formula.

    Numbers stay unchanged, and so does the hyphen that Moodle writes for an empty cell.
    """
    if isinstance(cell, str) and cell.lstrip(" ").startswith(FORMULA) and cell.strip() != "-":
        return "'" + cell
    return cell
