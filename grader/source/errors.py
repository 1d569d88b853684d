"""Why a learner's file cannot be read."""

from __future__ import annotations


class SourceProblem(Exception):
    """The file cannot be read as Python. Nothing else can be said about it.

    ``line`` and ``column`` are 1-based; ``text`` is that line; ``hint`` says what to try.
    """

    def __init__(
        self,
        message: str,
        line: int | None = None,
        hint: str | None = None,
        text: str | None = None,
        column: int = 1,
    ) -> None:
        super().__init__(message)
        self.message, self.line, self.hint, self.text = message, line, hint, text
        self.column = column
