"""Stubs from solutions: a solution marks its blanks, and the stub is what remains.

A blank is a region between two marker comments of the same indentation::

    # >>> blank: c_proj
    # TODO: Create the output projection.
    # Hint: It keeps the width.
    # stub: self.c_proj = None
    self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)
    # <<< blank

What comes above the last ``# stub:`` line is for the learner: comments are kept as they are,
and each ``# stub:`` line becomes the line of code after it (a bare ``# stub:`` becomes
nothing). What comes below is the solution, which the stub leaves out. Blank lines right before
the closing marker stay if none follow it, so that the stub keeps its layout. The markers
themselves appear in no stub. Everything outside the regions is the same in both files.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

EARLIER = "stubs.earlier.sha256"
"""In ``steps/``: the digests of the stubs that earlier releases had."""

_OPENING = re.compile(r"^(?P<indent>[ \t]*)# >>> blank: (?P<name>[A-Za-z_][\w-]*)$")
_CLOSING = re.compile(r"^(?P<indent>[ \t]*)# <<< blank$")
_LOOKS_LIKE_MARKER = re.compile(r"^\s*#\s*(>>>|<<<)")
_STUB = re.compile(r"^(?P<indent>[ \t]*)# stub:(?: (?P<code>.*))?$")


class RegionProblem(ValueError):
    """The regions of a solution are malformed. ``line`` is 1-based."""

    def __init__(self, message: str, line: int | None = None) -> None:
        self.line = line
        super().__init__(f"line {line}: {message}" if line is not None else message)


@dataclass(frozen=True)
class Region:
    """One blank of a solution.

    ``start`` and ``end`` are the 1-based lines of the two markers. ``stub`` has the lines
    that the learner sees, ``solution`` those that they must find; neither has line ends.
    """

    name: str
    start: int
    end: int
    stub: tuple[str, ...]
    solution: tuple[str, ...]


@lru_cache(maxsize=32)
def regions(solution_source: str) -> tuple[Region, ...]:
    """Every blank of a solution, in order.

    Raises:
        RegionProblem: if markers are unbalanced, nested, misspelt or indented unlike each
            other, if a region lacks its ``# stub:`` line or its solution, if two regions
            share a name, or if there are none at all.
    """
    found = tuple(_find(solution_source.splitlines()))
    if not found:
        raise RegionProblem("There is no blank. Mark one with '# >>> blank: name'.")
    first: dict[str, int] = {}
    for region in found:
        if region.name in first:
            raise RegionProblem(
                f"The blank {region.name!r} already exists, in line {first[region.name]}.",
                region.start,
            )
        first[region.name] = region.start
    return found


def make_stub(solution_source: str) -> str:
    """The learner's file: the solution with every blank emptied.

    Raises:
        RegionProblem: as :func:`regions`, and if the rest is not valid Python.
    """
    found = regions(solution_source)
    stub = _replace(solution_source, {region: region.stub for region in found})
    try:
        ast.parse(stub)
    except SyntaxError as error:
        text = (error.text or "").strip()
        raise RegionProblem(
            f"The stub would not be valid Python: {error.msg}, at {text!r}."
            " A blank that contains a whole body needs a line such as '# stub: pass'."
        ) from error
    return stub


def make_answer(solution_source: str) -> str:
    """The solution for reading: without the markers and without what is only for the stub."""
    found = regions(solution_source)
    return _replace(solution_source, {region: region.solution for region in found})


def _find(lines: list[str]) -> Iterator[Region]:
    """The regions in ``lines``, checked one by one."""
    opened: tuple[int, re.Match[str]] | None = None
    for number, line in enumerate(lines, start=1):
        if opening := _OPENING.match(line):
            if opened is not None:
                raise RegionProblem(
                    f"This blank opens inside the blank {opened[1]['name']!r} of line {opened[0]}.",
                    number,
                )
            opened = number, opening
        elif closing := _CLOSING.match(line):
            if opened is None:
                raise RegionProblem("This '# <<< blank' closes nothing.", number)
            start, opening = opened
            if closing["indent"] != opening["indent"]:
                raise RegionProblem(f"This marker is indented unlike that of line {start}.", number)
            yield _region(opening, start, number, lines)
            opened = None
        elif _LOOKS_LIKE_MARKER.match(line):
            raise RegionProblem(
                "This looks like a marker but is not one. A marker is"
                " '# >>> blank: name' or '# <<< blank'.",
                number,
            )
    if opened is not None:
        raise RegionProblem(f"The blank {opened[1]['name']!r} is never closed.", opened[0])


def _region(opening: re.Match[str], start: int, end: int, lines: list[str]) -> Region:
    """The region between two markers, split at its last ``# stub:`` line."""
    name, body = opening["name"], lines[start : end - 1]
    stub_lines = [index for index, line in enumerate(body) if _STUB.match(line)]
    if not stub_lines:
        raise RegionProblem(
            f"The blank {name!r} has no '# stub:' line. It separates what the learner sees"
            " from the solution, and may be empty.",
            start,
        )
    cut = stub_lines[-1] + 1
    for index, line in enumerate(body[:cut]):
        if line.strip() and not line.strip().startswith("#"):
            raise RegionProblem(
                f"Code of the blank {name!r} is above its '# stub:' line.", start + 1 + index
            )
    solution = body[cut:]
    if not any(line.strip() for line in solution):
        raise RegionProblem(f"The blank {name!r} has no solution.", start)
    follows_blank = end < len(lines) and not lines[end].strip()
    stub = [line for line in map(_stub_line, body[:cut]) if line is not None]
    stub += [] if follows_blank else _trailing_blank_lines(solution)
    return Region(name, start, end, tuple(stub), tuple(solution))


def _stub_line(line: str) -> str | None:
    """What the learner sees of one line above the cut; None for nothing."""
    stub = _STUB.match(line)
    if stub is None:
        return line
    return stub["indent"] + stub["code"] if stub["code"] else None


def _trailing_blank_lines(lines: list[str]) -> list[str]:
    """The blank lines at the end of ``lines``."""
    last = max(index for index, line in enumerate(lines) if line.strip())
    return lines[last + 1 :]


def _replace(source: str, bodies: dict[Region, tuple[str, ...]]) -> str:
    """``source`` with every region, markers included, replaced by its new body."""
    lines = source.splitlines()
    kept: list[str] = []
    position = 0
    for region, body in bodies.items():
        kept += lines[position : region.start - 1]
        kept += body
        position = region.end
    kept += lines[position:]
    return "\n".join(kept) + "\n"
