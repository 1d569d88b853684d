"""CSV per RFC 4180, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""A spreadsheet takes a cell that begins with one of these for a formula and runs it."""
_BEHIND = re.compile(rf"(?<=[;\t\r\n])([\s\"]*)(?=[{re.escape(''.join(FORMULA))}])")
"""Where a formula begins if a spreadsheet separates cells by something other than commas."""

Cell = str | int | float | None


def render(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return the table as text, each cell quoted, lines ending in CR LF."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    writer.writerow([harmless(cell) for cell in header])
    writer.writerows([harmless(cell) for cell in row] for row in rows)
    return text.getvalue()


def harmless(cell: Cell) -> Cell:
    """Return the cell with an apostrophe before each would-be formula.

    Numbers stay unchanged, as does the hyphen that Moodle writes for an empty cell.
    """
    if not isinstance(cell, str) or cell.strip() == "-":
        return cell
    cell = _BEHIND.sub(r"\1'", cell)
    return "'" + cell if cell.lstrip(" ").startswith(FORMULA) else cell
