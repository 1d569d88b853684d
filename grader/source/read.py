"""Reads a learner's file: bytes to a syntax tree, or exactly one located problem."""

from __future__ import annotations

import ast
import os
import re
import stat
import warnings
from dataclasses import dataclass, field
from pathlib import Path

from grader.base import sanitize
from grader.frameworks import Spellings
from grader.source.encoding import decoded
from grader.source.problem import SourceProblem
from grader.source.unnamed import unnamed
from grader.source.walked import parsed

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
    (r"positional argument follows", "A keyword argument takes = and not a colon: name=value."),
    (r"invalid decimal literal", "A name does not begin with a digit, and 2 x is 2 * x."),
    (r"forgot a comma|Perhaps you forgot", "Is a comma missing, here or on the line before?"),
)


WRITTEN: tuple[tuple[str, str], ...] = (
    (r"(?<![\w.])\d[\d.]*[fFlLuU]\b", "A number has no suffix in Python: 1.0f is 1.0."),
    (r"=\s*[\d.]+\s*%", "A percentage is written as a fraction: 10 % is 0.1."),
    (r"\d\.\d+\.\d", "A number has one decimal point."),
    (r"[=(]\s*\d+,0\d", "A number has no comma in it: write 0.5 with a point and 1024 without."),
    (r"\d[eE]\s*\^", "Write the power of ten without ^: 1e-5 is 0.00001."),
    (r"\d\s+\d", "A number has no spaces in it; 50_257 is the same as 50257."),
    (r"^\w+(-\w+)+\s*[:=]", "A name has no dash in it, only letters, digits and underscores."),
    (r"^([\w.]+)\s*\+\+;?$", r"Write \1 += 1"),
    (r"^([\w.]+)\s*--;?$", r"Write \1 -= 1"),
    (r"\+\+", "Write += 1 to count up."),
    (
        r"[A-Za-z_)\]]\s*\.[*/^]|\s\.[*/^]",
        "An operator has no dot before it: * and / go number by number, and a power is **.",
    ),
    (r":\s*\w+\s*\|\|\s*\w+", "One type or another is written with a single |: int | None."),
    (
        r"^(\w+)\s*::\s*([A-Za-z_][\w.\[\], |]*"
        r"(?:=[^\"']*|=\s*\"[^\"]*\"|=\s*'[^']*')?)(?<=\S)\s*$",
        r"One colon is enough before a type. Write \1: \2",
    ),
    (
        r"^def .*?[(,]\s*(\w+)\s*::\s*([A-Za-z_][\w.]*)",
        r"One colon is enough before a type. Write \1: \2",
    ),
    (r"^[^\[]*?(?<!\w)([A-Za-z_]\w*)::([A-Za-z_]\w*)\(", r"Python has a dot there. Write \1.\2"),
    (
        r"^(int|float|str|bool)\s+([A-Za-z_]\w*)\s*=(?!=)",
        r"A type comes after the name, behind a colon. Write \2: \1 =",
    ),
    (r"&&|\|\|", "Write and, or."),
    (r"(^|[\s(=])!\w", "Write not."),
    (r"[\u201c\u201d\u2018\u2019]", "Use straight quotation marks, \" or '."),
    (r"^(else if|elseif)\b", "Write elif."),
    (r"(?<![\w.])(\d+\.?\d*)i\b", r"The imaginary unit is j, right after a number: \1j."),
    (r"^(//|/\*)", "A comment begins with #."),
    (r"^(fn|fun|func|function)\s+\w+\s*\(", "A function begins with def."),
    (r"^(let|const|var|val|auto)\s+(mut\s+)?\w+", "A variable needs no word before its name."),
    (r"\bnew\s+\w+\(", "Write the name of the class alone, without new."),
    (
        r"^(class \w+|def .*\)|else|(elif|for|if|while) .*\))\s*\{$",
        "A block begins with a colon, not a brace.",
    ),
    (r"=>", "Write >= for greater or equal; a small function is lambda x: x + 1."),
    (r"\S \? .+ : ", "Write a if condition else b."),
    (
        r"\b(?!(?:and|assert|elif|else|if|in|is|not|or|return|while)\b)([A-Za-z_][\w.]*)\s+not\s+"
        r"(None|True|False)\b",
        r"Write \1 is not \2, with is before not.",
    ),
)
"""What a line that is no Python may contain, by its own text, and what to do."""


def _syntax(problem: SyntaxError, text: str) -> SourceProblem:
    line = problem.lineno
    lines = text.split("\n")
    shown = lines[line - 1].strip() if line and 0 < line <= len(lines) else None
    shown = sanitize.line(shown, 200) if shown else None
    said = sanitize.line(problem.msg or "invalid syntax", 200)
    code = (shown or "").partition("#")[0]
    advice = [m.expand(h) for pattern, h in WRITTEN if (m := re.search(pattern, code))]
    advice += [h for pattern, h in ADVICE if re.search(pattern, said)]
    hint = next(iter(advice), "Look at this line and at the end of the one before it.")
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
    found = unnamed(text, line, column) if line and "positional argument follows" in said else None
    if found is not None:
        code = sanitize.line(lines[found.line - 1].strip(), 200)
        return SourceProblem(f"Syntax error: {said}", found.line, found.hint, code, found.column)
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
