"""What the lesson calls the values of a comparison."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.base.blanks import Region
from grader.explain.trace.alignment import Comparison
from grader.explain.trace.program import target


@dataclass(frozen=True)
class Lesson:
    """The words of a step's lesson for what a comparison found.

    ``names`` says by blank what its last line gives.
    """

    comparison: Comparison
    regions: Sequence[Region]
    names: Mapping[str, str]

    def quantity(self, value: int | None) -> str:
        """What the lesson calls a value of the reference; empty where it has no name."""
        name = ""
        for statement, part in self.comparison.right.bindings(value):
            blank = self._region(statement.lineno)
            end = statement.end_lineno or statement.lineno
            last = blank is not None and end >= blank.end - 1
            if blank is not None and last and part < 0 and blank.name in self.names:
                name = self.names[blank.name]
            elif variable := target(statement, part):
                name = f"`{variable}`"
        return name

    def what(self, value: int) -> str:
        """A value of the reference: its name, if it has one, and its shape."""
        array, quantity = self.comparison.right.arrays[value], self.quantity(value)
        shown = "" if array is None else sizes(array.shape)
        return f"{quantity} of shape {shown}" if quantity and shown else quantity or shown

    def shapes_on(self, line: int) -> Iterator[str]:
        """The shapes of the variables on a line, the last time that it was evaluated."""
        mine = self.comparison.mine
        found: dict[str, str] = {}
        later: ast.expr | None = None
        seen: set[int] = set()
        for place in reversed(mine.places):
            node, array = mine.nodes[place.node], mine.arrays[place.value]
            named = isinstance(node, ast.Name | ast.Attribute)
            here = named and place.part < 0 and mine.line(place.node) == line
            if not isinstance(node, ast.expr) or not here:
                continue
            if place.node in seen or mine.outran(place.node) or (later and _follows(node, later)):
                break  # the time before: a variable may have been None since
            later = node
            seen.add(place.node)
            if array is not None:
                found = {mine.segment(place.node): sizes(array.shape), **found}
        if found:
            shapes = _listed([f"{text} has shape {one}" for text, one in found.items()])
            yield f"On line {line}, {shapes}."

    def blank(self, node: int) -> str:
        """The blank that a node of the reference is in; empty outside of one."""
        found = self._region(self.comparison.right.line(node))
        return "" if found is None else found.name

    def _region(self, line: int) -> Region | None:
        return next((one for one in self.regions if one.start < line < one.end), None)


def _follows(node: ast.expr, later: ast.expr) -> bool:
    """Whether an expression is written after one that was evaluated later."""
    return (node.lineno, node.col_offset) > (later.lineno, later.col_offset)


def sizes(shape: Sequence[int]) -> str:
    """A shape as it is told."""
    return f"[{', '.join(map(str, shape))}]"


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else parts[0]
