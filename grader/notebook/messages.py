"""What the notebook asks the grader, and what it is told."""

from __future__ import annotations

from typing import Literal

import msgspec


class Question(msgspec.Struct, frozen=True):
    """What to do with a cell: grade it, show one more hint on it, or follow its numbers.

    ``first`` is the cell's first line, ``code`` the rest. ``check`` is what the hint is on; empty
    for the first check that fails.
    """

    ask: Literal["grade", "hint", "trace"]
    step: str
    first: str
    code: str
    seed: int | None = None
    strict: bool = False
    mine: bool = False
    check: str = ""


class Answer(msgspec.Struct, frozen=True):
    """What to show, for a page and for a terminal.

    ``loaded``: the program ran to its end, and may be run in the notebook.
    """

    html: str
    text: str
    loaded: bool = False
