"""MAX's errors, retold: the table ``max.toml``, before that of plain Python.

``recorded.toml`` has the names that MAX has. :mod:`grader.frameworks.errors.table` explains how a
row is written.
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
    """The rows of MAX, then those of Python."""
    files = (HERE / "max.toml", HERE / "recorded.toml", errors.FILE)
    return Table.load(*files, readers={**errors.READERS, **facts.READERS})


def translate(error: SeenError) -> Translation:
    """The error as one sentence, with what to look at if that is known."""
    return errors.translate(error, table())
