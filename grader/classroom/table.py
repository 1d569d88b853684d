"""CSV as RFC 4180 has it, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""With these a spreadsheet takes a cell for a formula, and runs it."""

Cell = str | int | float | None


def render(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """The table as text, lines ending in CR LF."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([harmless(cell) for cell in header])
    writer.writerows([harmless(cell) for cell in row] for row in rows)
    return text.getvalue()


def harmless(cell: Cell) -> Cell:
    """The cell, with an apostrophe before what would be a formula.

    Numbers stay as they are, and so does the hyphen that Moodle writes for nothing.
    """
    if isinstance(cell, str) and cell.lstrip(" ").startswith(FORMULA) and cell.strip() != "-":
        return "'" + cell
    return cell
