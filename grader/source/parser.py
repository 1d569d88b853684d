"""Reads a learner's file: bytes to a syntax tree, or exactly one located problem."""

from __future__ import annotations

import ast
import os
import re
import stat
import tomllib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from grader.base import sanitize
from grader.frameworks import Spellings
from grader.source.argument_order import misplaced_argument
from grader.source.ast_cache import parsed
from grader.source.encoding import decoded
from grader.source.errors import SourceProblem

PYTHON = Spellings()

MOST_BYTES = 1 << 18
MOST_NODES = 10_000
MOST_LEVELS = 200
"""Code that reads a tree needs as deep a stack, and time that can grow with the square of its size.
No step needs a tenth of any of these."""

MOST_BITS = 4096
"""Of a whole number. Python refuses to write larger ones in decimal, and to read them."""

MOST_NAME = 100
"""Characters of a name that comes from the file, in a message."""


@dataclass(frozen=True)
class Source:
    """A file that parsed: its text, its lines without their ends, its tree, its name.

    ``spellings`` are those of the framework it is written in.
    """

    file: str
    text: str
    lines: tuple[str, ...]
    tree: ast.Module
    spellings: Spellings = field(compare=False, repr=False)

    def quoted(self, line: int) -> tuple[str | None, int]:
        """A line without its indent, safe to show, and the 1-based column where it begins."""
        if not 1 <= line <= len(self.lines):
            return None, 1
        code = self.lines[line - 1]
        return sanitize.line(code.strip(), 200), len(code) - len(code.lstrip()) + 1


def read_file(path: Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a regular file of at most ``most`` bytes; links are not followed.

    Raises:
        SourceProblem: the file is missing, not a regular file, too large or unreadable.
    """
    name = sanitize.line(path.name, MOST_NAME)
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        raise SourceProblem(
            f"There is no file {name}", hint="Check the name, or pass --file PATH."
        ) from None
    except OSError as problem:
        if path.is_symlink():
            raise SourceProblem(
                f"{name} is a symbolic link", hint="Put the file itself there."
            ) from None
        raise SourceProblem(
            f"{name} cannot be opened: {problem.strerror}", hint="Check its permissions."
        ) from None
    try:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            what = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
            raise SourceProblem(f"{name} is {what}", hint="Name a Python file.")
        data = _read(handle, most + 1)
    except OSError as problem:
        raise SourceProblem(
            f"{name} cannot be read: {problem.strerror}", hint="Copy it to another disk."
        ) from None
    finally:
        os.close(handle)
    if len(data) > most:
        size = f"{most >> 20} MiB" if most >> 20 else f"{most >> 10} KiB"
        raise SourceProblem(
            f"{name} is larger than {size}", hint="A step is a page long. Is this the file?"
        )
    return data


def _read(handle: int, most: int) -> bytes:
    """Up to ``most`` bytes, in whatever pieces they come."""
    pieces = []
    while most > 0 and (piece := os.read(handle, most)):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


def parse(data: bytes, file: str, spellings: Spellings = PYTHON) -> Source:
    """The syntax tree of ``data``.

    Raises:
        SourceProblem: the one thing to fix first, with its line if there is one.
    """
    file = sanitize.line(file, MOST_NAME)
    text = decoded(data, file)
    if not text.strip():
        raise SourceProblem(f"{file} is empty", hint="Write the step, or restore its stub.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parsed(text)
    except SyntaxError as problem:
        raise _syntax(problem, text) from None
    except (MemoryError, RecursionError, ValueError):
        raise _too_deep(file) from None
    levels, nodes = _extent(tree)
    if levels > MOST_LEVELS:
        raise _too_deep(file)
    if nodes > MOST_NODES:
        raise SourceProblem(
            f"{file} is too long to read", hint="A step is a page long. Is this the file?"
        )
    _check_numbers(tree, file)
    # Not splitlines, which also splits where Python does not, for example at a form feed.
    return Source(file, text, tuple(text.removesuffix("\n").split("\n")), tree, spellings)


def _check_numbers(tree: ast.AST, file: str) -> None:
    """Raise if a number is so long that whoever shows it would raise an error."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, int):
            continue
        if node.value.bit_length() > MOST_BITS:
            raise SourceProblem(
                f"{file} has a number that is too long to read",
                node.lineno,
                "Write a number of a few digits.",
            )


def _too_deep(file: str) -> SourceProblem:
    return SourceProblem(
        f"{file} is nested too deeply to read", hint="Break the expression into lines."
    )


@cache
def _advice() -> Mapping[str, Sequence[Sequence[str]]]:
    """Regular expressions, each with what to do, on a line and on what Python says of it."""
    return tomllib.loads(Path(__file__).with_name("syntax.toml").read_text(encoding="utf-8"))


def _syntax(problem: SyntaxError, text: str) -> SourceProblem:
    line = problem.lineno
    lines = text.split("\n")
    shown = lines[line - 1].strip() if line and 0 < line <= len(lines) else None
    shown = sanitize.line(shown, 200) if shown else None
    said = sanitize.line(problem.msg or "invalid syntax", 200)
    code = (shown or "").partition("#")[0]
    texts = {"line": code, "message": said}
    found = ((re.search(one, texts[kind]), do) for kind in texts for one, do in _advice()[kind])
    advice = (match.expand(do) for match, do in found if match)
    hint = next(advice, "Look at this line and at the end of the one before it.")
    early = _ended_early(lines, line) if line and "unexpected indent" in said else None
    if early is not None:
        code = sanitize.line(lines[early - 1].strip(), 200)
        hint = f"Indent it: the lines around it are indented further, down to line {line}."
        return SourceProblem(f"Syntax error: {said}", early, hint, code)
    if "too many nested" in said:
        return SourceProblem(
            "The file is nested too deeply to read",
            line,
            "Break the expression into lines.",
            shown,
        )
    column = max(1, problem.offset or 1)
    follows = line and "positional argument follows" in said
    word = misplaced_argument(text, line, column) if line and follows else None
    if word is not None:
        code = sanitize.line(lines[word.line - 1].strip(), 200)
        return SourceProblem(f"Syntax error: {said}", word.line, word.hint, code, word.column)
    return SourceProblem(f"Syntax error: {said}", line, hint, shown, column)


def _ended_early(lines: list[str], line: int) -> int | None:
    """The one line that ends a block which goes on with ``line``: it is not indented as that is."""
    code = [n for n in range(1, line) if lines[n - 1].partition("#")[0].strip()][-2:]
    if len(code) < 2 or any(lines[n - 1].rstrip().endswith((":", "(", "[", ",")) for n in code):
        return None
    before, early, here = (_indent(lines[n - 1]) for n in (*code, line))
    blank = any(not lines[n - 1].strip() for n in range(code[0], code[1]))
    return code[1] if before == here > early and not blank else None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _extent(tree: ast.AST) -> tuple[int, int]:
    """Levels and nodes of the tree, counted without recursion; no further than needed."""
    levels, nodes, layer = 0, 0, [tree]
    while layer and levels <= MOST_LEVELS and nodes <= MOST_NODES:
        levels += 1
        nodes += len(layer)
        layer = [child for node in layer for child in ast.iter_child_nodes(node)]
    return levels, nodes
