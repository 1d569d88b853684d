"""Where a call gives an argument by its place behind one by name, which Python refuses.

Python points at the bracket that closes the call, perhaps many lines below.
"""

from __future__ import annotations

import io
import tokenize
from dataclasses import dataclass, field

from grader.base import sanitize

MOST_NAME = 40
"""Characters of a name in the hint."""

LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


@dataclass(frozen=True)
class MisplacedArgument:
    """The argument by name: its line and column, from 1, and what to do."""

    line: int
    column: int
    hint: str


@dataclass
class _Argument:
    """The tokens of one argument, without those in its own brackets."""

    tokens: list[tokenize.TokenInfo] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        return [one.string for one in self.tokens]

    @property
    def is_named(self) -> bool:
        return self.texts[1:2] == ["="]

    @property
    def is_placed(self) -> bool:
        return bool(self.tokens) and not self.is_named and not self.texts[0].startswith("*")


def misplaced_argument(text: str, line: int, column: int) -> MisplacedArgument | None:
    """What is wrong in the call whose bracket closes there; None where none does."""
    open_calls: list[list[_Argument]] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in LAYOUT:
                continue
            if open_calls and token.string in (")", "]", "}"):
                call = open_calls.pop()
                if token.start == (line, column - 1):
                    return _told(call)
            elif token.string in ("(", "[", "{"):
                if open_calls:
                    open_calls[-1][-1].tokens.append(token)
                open_calls.append([_Argument()])
            elif open_calls and token.string == ",":
                open_calls[-1].append(_Argument())
            elif open_calls:
                open_calls[-1][-1].tokens.append(token)
    except (tokenize.TokenError, SyntaxError):
        pass
    return None


def _told(call: list[_Argument]) -> MisplacedArgument | None:
    word = None
    for one in call:
        if one.is_named:
            word = one
        elif word is not None and one.is_placed:
            at = word.tokens[0]
            name = sanitize.line(at.string, MOST_NAME)
            hint = f"An argument after {name}= needs a name too. Name it, or leave {name}= out."
            return MisplacedArgument(at.start[0], at.start[1] + 1, hint)
    return None
