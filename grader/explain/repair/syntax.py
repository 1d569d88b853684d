"""Edits that make a text valid Python again, near the line where Python stumbled."""

from __future__ import annotations

import ast
import difflib
import warnings
from collections.abc import Iterator

from grader.explain.repair.candidates import Candidate, compiles
from grader.explain.repair.edits import Change, Edit

BACK = 4
"""Lines before the one that Python names: the mistake may be there."""
MARKS = (":", ")", "]", "}", ",", '"', "'", "))", "):", "]:")
ALIKE = 0.6


def repairs(source: str, reference: str) -> Iterator[Candidate]:
    """The texts that are valid Python and differ from ``source`` in about one line."""
    lines = source.split("\n")
    at, column = _stumbled(source)
    known: set[str] = set()
    for number in range(at, max(-1, at - BACK), -1):
        if not 0 <= number < len(lines):
            continue
        for other in _lines(lines, number, column if number == at else -1, reference):
            text = "\n".join([*lines[:number], *other, *lines[number + 1 :]])
            if text not in known:
                known.add(text)
                if compiles(text):
                    edit = Edit((Change(0, 0, ""),), number + 1, len(known))
                    yield Candidate(text, edit)


def _stumbled(source: str) -> tuple[int, int]:
    """Line and column, from 0, where Python finds the text no longer valid."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
    except SyntaxError as error:
        return (error.lineno or 1) - 1, (error.offset or 1) - 1
    return 0, 0


def _lines(lines: list[str], number: int, column: int, reference: str) -> Iterator[list[str]]:
    """What could replace a line."""
    line = lines[number]
    body = line.lstrip()
    indent = line[: len(line) - len(body)]
    alike = difflib.get_close_matches(
        body, [one.strip() for one in reference.split("\n")], 3, ALIKE
    )
    yield from ([indent + one] for one in alike)
    code, comment = _code(line)
    for mark in MARKS:
        yield [code + mark + comment]
    for place in range(max(0, column - 1), min(len(line), column + 2)) if column >= 0 else ():
        yield [line[:place] + line[place + 1 :]]
        for mark in (*MARKS[:7], "=", "(", "[", ".", " "):
            yield [line[:place] + mark + line[place:]]
    for other in _indents(lines, number):
        yield [other + body]
    if code.rstrip().endswith(":"):
        yield [line, f"{indent}    pass"]
    yield []


def _code(line: str) -> tuple[str, str]:
    """A line without its comment, and the comment; a ``#`` in a string is taken for one too."""
    at = line.find("#")
    code = (line if at < 0 else line[:at]).rstrip()
    return code, line[len(code) :]


def _indents(lines: list[str], number: int) -> Iterator[str]:
    """The indents of the lines around, and those of a block more or less."""
    here = lines[number]
    known = here[: len(here) - len(here.lstrip())]
    near = [*lines[max(0, number - 3) : number][::-1], *lines[number + 1 :][:2]]
    found = [one[: len(one) - len(one.lstrip())] for one in near if one.strip()]
    for one in dict.fromkeys([*found, f"{known}    ", known[4:], known.expandtabs(4)]):
        if one != known:
            yield one
