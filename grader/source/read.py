"""Reads a learner's file: bytes to a syntax tree, or one located problem and nothing else."""

from __future__ import annotations

import ast
import codecs
import io
import os
import re
import stat
import tokenize
import warnings
from dataclasses import dataclass
from pathlib import Path

MOST_BYTES = 1 << 20
MOST_LEVELS = 400
"""Deeper trees would overflow the stack of what reads them; no step needs a tenth of it."""


class SourceProblem(Exception):
    """The file cannot be read as Python. Nothing else about it can be said.

    ``line`` is 1-based; ``text`` is that line; ``hint`` says what to try.
    """

    def __init__(
        self,
        message: str,
        line: int | None = None,
        hint: str | None = None,
        text: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message, self.line, self.hint, self.text = message, line, hint, text


@dataclass(frozen=True)
class Source:
    """A file that parsed: its text, its lines without their ends, its tree, its name."""

    file: str
    text: str
    lines: tuple[str, ...]
    tree: ast.Module


def read_file(path: Path) -> bytes:
    """The bytes of a regular file of at most 1 MiB; links are not followed.

    Raises:
        SourceProblem: the file is missing, no regular file, too large or not readable.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        raise SourceProblem(
            f"There is no file {path.name}", hint="Check the name, or say --file PATH."
        ) from None
    except OSError as problem:
        if path.is_symlink():
            raise SourceProblem(
                f"{path.name} is a symbolic link", hint="Put the file itself there."
            ) from None
        raise SourceProblem(
            f"{path.name} cannot be opened: {problem.strerror}", hint="Check its permissions."
        ) from None
    try:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            what = "a folder" if stat.S_ISDIR(mode) else "no regular file"
            raise SourceProblem(f"{path.name} is {what}", hint="Name a Python file.")
        data = _read(handle, MOST_BYTES + 1)
    except OSError as problem:
        raise SourceProblem(
            f"{path.name} cannot be read: {problem.strerror}", hint="Copy it to another disk."
        ) from None
    finally:
        os.close(handle)
    if len(data) > MOST_BYTES:
        raise SourceProblem(
            f"{path.name} is larger than 1 MiB", hint="A step is a page long. Is this the file?"
        )
    return data


def _read(handle: int, most: int) -> bytes:
    """Up to ``most`` bytes, whatever pieces they come in."""
    pieces = []
    while most > 0 and (piece := os.read(handle, most)):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


def parse(data: bytes, file: str) -> Source:
    """The syntax tree of ``data``.

    Raises:
        SourceProblem: the one thing to mend first, with its line where there is one.
    """
    text = _decode(data, file)
    if not text.strip():
        raise SourceProblem(f"{file} is empty", hint="Write the step, or restore its stub.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, filename=file)
    except SyntaxError as problem:
        raise _syntax(problem, text) from None
    except (MemoryError, RecursionError, ValueError):
        raise _too_deep(file) from None
    if _levels(tree) > MOST_LEVELS:
        raise _too_deep(file)
    return Source(file, text, tuple(text.splitlines()), tree)


def _too_deep(file: str) -> SourceProblem:
    return SourceProblem(
        f"{file} is nested too deeply to be read", hint="Break the expression into lines."
    )


def _decode(data: bytes, file: str) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise SourceProblem(f"{file} is UTF-16", 1, "Save it again as UTF-8.")
    if b"\0" in data:
        head = data[:400]
        if head.count(b"\0") * 3 > len(head):
            raise SourceProblem(
                f"{file} is UTF-16 or a binary file, not Python text", 1, "Save it as UTF-8."
            )
        line = data[: data.index(b"\0")].count(b"\n") + 1
        raise SourceProblem(f"{file} contains a null byte", line, "Delete it, and save as UTF-8.")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError:
        raise SourceProblem(
            f"{file} names an encoding that Python does not know, or is not in it",
            1,
            "Save it as UTF-8 and delete the coding line.",
        ) from None
    try:
        text = data.decode(encoding)
    except (UnicodeDecodeError, LookupError) as problem:
        start = getattr(problem, "start", 0)
        line = data[:start].count(b"\n") + 1
        raise SourceProblem(
            f"{file} is not {encoding} text", line, "Save it again as UTF-8."
        ) from None
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


ADVICE: tuple[tuple[str, str], ...] = (
    (r"was never closed", "Close this bracket."),
    (r"unmatched|does not match", "Count the brackets from here upwards."),
    (r"expected ':'", "End the line with a colon."),
    (r"expected an indented block", "Indent the line below, by four spaces."),
    (
        r"unindent|unexpected indent|inconsistent use of tabs",
        "Line it up with the lines around it; use spaces, not tabs.",
    ),
    (r"unterminated|EOL while", "Close the quotation mark."),
    (r"Maybe you meant '=='|cannot assign", "Use == to compare and = to assign."),
    (r"forgot a comma|Perhaps you forgot", "Is a comma missing, here or on the line before?"),
)


def _syntax(problem: SyntaxError, text: str) -> SourceProblem:
    line = problem.lineno
    lines = text.splitlines()
    shown = lines[line - 1].strip()[:200] if line and 0 < line <= len(lines) else None
    said = (problem.msg or "invalid syntax")[:200]
    hint = next(
        (h for pattern, h in ADVICE if re.search(pattern, said)),
        "Look at this line and at the end of the one before it.",
    )
    if "too many nested" in said:
        return SourceProblem(
            "The file is nested too deeply to be read",
            line,
            "Break the expression into lines.",
            shown,
        )
    return SourceProblem(f"Syntax error: {said}", line, hint, shown)


def _levels(tree: ast.AST) -> int:
    """How deep the tree is, counted without recursion."""
    deepest, layer = 0, [tree]
    while layer:
        deepest += 1
        if deepest > MOST_LEVELS:
            break
        layer = [child for node in layer for child in ast.iter_child_nodes(node)]
    return deepest
