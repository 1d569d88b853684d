"""Explains MAX's errors with the table ``max.toml``, followed by that of plain Python.

``recorded.toml`` has the names that exist in MAX. :mod:`grader.frameworks.errors.table` explains
the format of a row.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from grader.frameworks import errors
from grader.frameworks.errors.table import Table
from grader.frameworks.max.errors import facts
from grader.frameworks.values import Translation
from grader.protocol.probe import SeenError

HERE = Path(__file__).parent


@cache
def table() -> Table:
    """Return MAX's rows, then Python's."""
    files = (HERE / "max.toml", HERE / "recorded.toml", errors.FILE)
    return Table.load(*files, readers={**errors.READERS, **facts.READERS})


def translate(error: SeenError) -> Translation:
    """Explain the error in one sentence, with what to look at if that is known."""
    return errors.translate(error, table())
