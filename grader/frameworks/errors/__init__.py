"""Explains errors of a learner's code: what happened, and what to look at.

The text is in the table ``python.toml``, which :mod:`grader.frameworks.errors.table` describes; a
framework adds a table of its own. The rows match the messages of CPython 3.11 to 3.14. An error
without a row keeps its own message.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from grader.base import sanitize
from grader.frameworks.errors import calls, names, values
from grader.frameworks.errors.case import Case, in_class_body
from grader.frameworks.errors.table import Reader, Table
from grader.frameworks.values import Translation
from grader.protocol.probe import SeenError

MOST = 400
"""Characters of an explanation: its groups may match whatever the file raised."""

MOST_SAID = 200
"""Characters of an error's own message that a check's sentence may contain."""

MOST_LINES = 12
"""Lines of an error's own message that are shown."""

FILE = Path(__file__).parent / "python.toml"

READERS: Mapping[str, Reader] = {
    "undefined": names.undefined,
    "attribute": names.attribute,
    "by text": names.by_text,
    "imported": names.imported,
    "arguments": calls.arguments,
    "outside": calls.outside,
    "given": values.given,
    "inside": values.inside,
    "owner": values.owner,
    "iterated": values.iterated,
    "unpacked": values.unpacked,
    "entry": values.entry,
}
"""The functions that read a row's facts, by the name in its ``facts``."""


@cache
def python() -> Table:
    """Load the table of plain Python's errors."""
    return Table.load(FILE, readers=READERS)


def translate(error: SeenError, table: Table | None = None) -> Translation:
    """Explain the error in one sentence, with what to look at if that is known."""
    text = error.message.strip()
    told = None if _is_own(error) else tell(error, table or python())
    told = told or _in_its_words(error, text)
    inside = error.function not in (None, "<module>")
    where = f" (in {error.function})" if inside else ""
    return replace(
        told,
        message=sanitize.line(f"{told.message}{where}", MOST),
        hint=sanitize.line(told.hint, MOST) if told.hint else None,
        called=_called(error),
    )


def tell(error: SeenError, table: Table) -> Translation | None:
    """Explain the error by its row; None if there is none."""
    # The facts about an error come from the learner's process. A message that only resembles one
    # of these, with matching values, must not stop the grader.
    try:
        return table.tell(Case(error))
    except Exception:  # noqa: BLE001
        return None


def _is_own(error: SeenError) -> bool:
    """Whether a ``raise`` in the learner's file made it, so that the message is the learner's."""
    return bool(error.calls) and error.calls[-1].code.startswith("raise") and not error.inside


def _in_its_words(error: SeenError, text: str) -> Translation:
    """Return the error's own message, whole."""
    first, _, rest = text.partition("\n")
    lines = rest.rstrip().splitlines()
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [f"… ({len(lines) - MOST_LINES} more lines)"]
    said = f"{error.type_name}: {first}" if first else error.type_name
    if len(said) > MOST_SAID:  # the sentence has its beginning, the lines below have all of it
        lines.insert(0, first)
        said = sanitize.line(said, MOST_SAID)
    return Translation(said, more="\n".join(lines))


def _called(error: SeenError) -> str:
    """Say which line called the function in which it happened."""
    if len(error.calls) < 2:
        return ""
    caller, deepest = error.calls[-2:]
    if caller.line == deepest.line and caller.statement == deepest.statement:
        return ""  # a lambda or a comprehension on the same line
    if in_class_body(error):
        return ""
    text = sanitize.on_one_line(_without_comments(caller.statement))
    where = text or f"in {caller.function}"
    return sanitize.line(f"Called from line {caller.line}: {where}", MOST)


def _without_comments(statement: str) -> str:
    """Return a statement of several lines without comments, which would hide what follows."""
    lines = statement.split("\n")
    return "\n".join(re.sub(r"\s+#[^'\"]*$", "", one) for one in lines[:-1]) + f"\n{lines[-1]}"
