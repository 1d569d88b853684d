"""A departure from the reference's path in sentences, and a program's lines with what they gave."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.base.blanks import Region
from grader.base.model import Margin, Trace
from grader.grading.relations import Relation
from grader.grading.trace import Comparison, Departure, Run

MOST_DEPARTURES = 2
"""Where a program leaves the path at more places than this, it goes another way altogether."""

MOST_TEXT = 70


@dataclass(frozen=True)
class Teller:
    """Says what a comparison found, in the words of the lesson.

    ``names`` says by blank what its last line gives, ``sentences`` what its check says.
    """

    comparison: Comparison
    regions: Sequence[Region]
    names: Mapping[str, str]
    sentences: Mapping[str, str]

    def departed(self, result: int | None) -> Trace:
        """Where the values on the way to ``result`` leave the path."""
        found = () if result is None else self.comparison.departures(result)
        if not found or len(found) > MOST_DEPARTURES:
            return Trace((), None, tuple(self.margin(())))
        first = found[0]
        line = self.comparison.mine.line(first.node)
        told = [*self._still_right(first), *self._gives(first), *self._next(first)]
        return Trace(tuple(told), line, tuple(self.margin(found)))

    def raised(self, line: int) -> Trace:
        """The values on the line that raised an error."""
        mine = self.comparison.mine
        shapes: dict[str, str] = {}
        for place in mine.places:
            array = mine.arrays[place.value]
            named = isinstance(mine.nodes[place.node], ast.Name | ast.Attribute)
            here = mine.line(place.node) == line and place.part < 0
            if here and named and array is not None:
                shapes[mine.segment(place.node)] = _shape(array.shape)
        told = [f"{text} is {shape}" for text, shape in shapes.items()]
        sentences = (f"On line {line}, {_listed(told)}.",) if told else ()
        return Trace(sentences, line, tuple(self.margin(())))

    # ---- sentences ------------------------------------------------------------------------

    def _still_right(self, one: Departure) -> Iterator[str]:
        mine, line = self.comparison.mine, self.comparison.mine.line(one.node)
        known = [v for v in one.sources if self._named(v)]
        if not known:
            return
        last = max(known, key=lambda v: mine.made[v].order)
        at = self._bound_at(last)
        quantity = self.quantity(self.comparison.match(last))
        what = f": it gives {quantity}" if quantity else ""
        if at is not None and at != line:
            yield f"Line {at} is still right{what}."

    def _named(self, value: int) -> bool:
        """Whether the reference computes this value too, from the same inputs."""
        match = self.comparison.match(value)
        return match is not None and match >= 0 and self.comparison.flows(value)

    def _gives(self, one: Departure) -> Iterator[str]:
        mine = self.comparison.mine
        text = mine.segment(one.node)
        shown = f": {text}" if len(text) <= MOST_TEXT else ""
        yield f"Line {mine.line(one.node)} gives something else{shown}"
        if (swapped := self._swapped(one)) is not None:
            yield swapped
        elif one.relation is not None and (said := self._relation(one.relation)):
            yield said

    def _relation(self, relation: Relation) -> str:
        quantity = self.quantity(relation.of)
        if not quantity:
            return ""
        match relation.kind:
            case "scaled":
                return f"It gives {relation.factor:.3g} times {quantity}."
            case "transposed":
                return f"It gives {quantity}, with the axes in the order {list(relation.axes)}."
            case "reshaped":
                return f"It gives the numbers of {quantity} in another shape."
        return ""

    def _swapped(self, one: Departure) -> str | None:
        """Where the reference does the same operation on other values: which one differs."""
        mine, right = self.comparison.mine, self.comparison.right
        matched = [self.comparison.match(value) for value in one.sources]
        kind = operation(mine.nodes[one.node])
        for value, made in right.made.items():
            same_kind = operation(right.nodes[made.node]) == kind
            if not same_kind or len(made.sources) != len(matched) or value in matched:
                continue
            pairs = list(zip(matched, made.sources, strict=True))
            other = [(have, want) for have, want in pairs if have != want]
            if len(other) == 1 and len(pairs) > 1 and other[0][0] is not None:
                have, want = (self.quantity(v) for v in other[0])
                if have and want and have != want:
                    return f"It uses {have} where the reference uses {want}."
        return None

    def _next(self, one: Departure) -> Iterator[str]:
        """What the reference does at this point, where that is something else."""
        right = self.comparison.right
        matched = {self.comparison.match(value) for value in one.sources} - {None, -1}
        steps = [made for made in right.made.values() if matched & set(made.sources)]
        steps.sort(key=lambda made: (-len(matched & set(made.sources)), made.order))
        kind = operation(self.comparison.mine.nodes[one.node])
        for made in steps:
            if operation(right.nodes[made.node]) == kind:
                return
            blank = self._blank(right.line(made.node))
            if blank is not None and blank.name in self.sentences:
                said = self.sentences[blank.name].partition(": ")
                yield f'At this point the lesson says: "{said[2] or said[0]}".'
                return

    # ---- names of values ------------------------------------------------------------------

    def quantity(self, value: int | None) -> str:
        """What the lesson calls a value of the reference; empty where it has no name."""
        name = ""
        for statement, part in self._bindings(self.comparison.right, value):
            blank = self._blank(statement.lineno)
            last = blank is not None and _last_line(statement) >= blank.end - 1
            if blank is not None and last and part < 0 and blank.name in self.names:
                name = self.names[blank.name]
            elif isinstance(statement, ast.Assign):
                name = _target(statement.targets[0], part) or name
        return name

    def _bindings(self, run: Run, value: int | None) -> Iterator[tuple[ast.stmt, int]]:
        """The statements whose whole result ``value`` is, and which part of it, in order."""
        for place in run.places:
            statement = run.statement(place.node)
            whole = getattr(statement, "value", None) is run.nodes[place.node]
            if place.value == value and statement is not None and whole:
                yield statement, place.part

    def _blank(self, line: int) -> Region | None:
        return next((one for one in self.regions if one.start < line < one.end), None)

    def _bound_at(self, value: int) -> int | None:
        """The line that last gave a name to a value, or returned it."""
        bound = [statement.lineno for statement, _ in self._bindings(self.comparison.mine, value)]
        return bound[-1] if bound else None

    # ---- the margin -----------------------------------------------------------------------

    def margin(self, departures: Sequence[Departure]) -> Iterator[Margin]:
        """A line for each statement that left a value, in the order of the file."""
        mine, after = self.comparison.mine, self.comparison.after(departures)
        lines: dict[int, Margin] = {}
        for place in mine.places:
            statement = mine.statement(place.node)
            whole = getattr(statement, "value", None) is mine.nodes[place.node]
            array = mine.arrays[place.value]
            if not whole or statement is None or array is None:
                continue
            match = self.comparison.match(place.value)
            wrong = match is None and place.value in after
            mark = "right" if match is not None else "left" if wrong else "unknown"
            before = lines.get(statement.lineno)
            if before is None or (mark == "left" and before.mark != "left"):
                lines[statement.lineno] = Margin(
                    statement.lineno, _shape(array.shape), mark, self.quantity(match)
                )
        yield from (lines[number] for number in sorted(lines))


def operation(node: ast.AST) -> str:
    """A word for what an expression does, to tell like from unlike."""
    match node:
        case ast.BinOp():
            return type(node.op).__name__
        case ast.Call(func=ast.Attribute(attr=name)) | ast.Call(func=ast.Name(id=name)):
            return name
    return type(node).__name__


def _target(target: ast.expr, part: int) -> str:
    if isinstance(target, ast.Tuple | ast.List) and 0 <= part < len(target.elts):
        target = target.elts[part]
    return f"`{target.id}`" if isinstance(target, ast.Name) else ""


def _last_line(statement: ast.stmt | None) -> int:
    return (statement.end_lineno or statement.lineno) if statement is not None else 0


def _shape(shape: Sequence[int]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else parts[0]
