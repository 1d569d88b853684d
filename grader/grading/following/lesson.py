"""What the lesson calls the values of a comparison, and what it says at a point of the way."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.base.blanks import Region
from grader.grading.following.cause import Cause
from grader.grading.following.run import operation
from grader.grading.following.trace import Comparison, Departure
from grader.grading.placing import SAYS
from grader.grading.reading.bindings import functions
from grader.grading.reading.program import target
from grader.source.walked import walked

FEWEST = 3
"""Numbers that a value must hold: fewer are equal by chance."""


@dataclass(frozen=True)
class Lesson:
    """The words of a step's lesson for what a comparison found.

    ``names`` says by blank what its last line gives, ``sentences`` what its check says.
    """

    comparison: Comparison
    regions: Sequence[Region]
    names: Mapping[str, str]
    sentences: Mapping[str, str]

    # ---- values -------------------------------------------------------------------------------

    def quantity(self, value: int | None) -> str:
        """What the lesson calls a value of the reference; empty where it has no name."""
        name = ""
        for statement, part in self.comparison.right.bindings(value):
            blank = self._blank(statement.lineno)
            end = statement.end_lineno or statement.lineno
            last = blank is not None and end >= blank.end - 1
            if blank is not None and last and part < 0 and blank.name in self.names:
                name = self.names[blank.name]
            elif variable := target(statement, part):
                name = f"`{variable}`"
        return name

    def own_quantity(self, value: int) -> str:
        """The same for a value of the program; of a variable that it lacks, its own name for it."""
        quantity = self.quantity(self.comparison.match(value))
        bound = self.comparison.mine.bindings(value) if quantity.startswith("`") else ()
        own = {target(statement, part) for statement, part in bound}
        if not quantity.startswith("`") or quantity.strip("`") in own:
            return quantity
        name = self.own_name(value)
        return f"`{name}`" if name.isidentifier() else ""

    def what(self, value: int) -> str:
        """A value of the reference: its name, if it has one, and its shape."""
        array, quantity = self.comparison.right.arrays[value], self.quantity(value)
        shown = "" if array is None else sizes(array.shape)
        return f"{quantity} of shape {shown}" if quantity and shown else quantity or shown

    def present(self) -> frozenset[str]:
        """The blanks that give a value which the program has too, or one on the way to it."""
        right, arrays = self.comparison.right, self.comparison.right.arrays
        todo = [one for one in self.comparison.matched if one is not None and one in right.made]
        todo = [one for one in todo if (array := arrays[one]) is not None and array.size >= FEWEST]
        known = set(todo)
        while todo:
            new = set(right.made[todo.pop()].sources) & right.made.keys() - known
            known |= new
            todo += new
        found = set[str]()
        for place in right.places:
            statement = right.statement(place.node)
            whole = statement is not None and right.is_whole(place.node) and place.part < 0
            blank = self._blank(statement.lineno) if whole and statement is not None else None
            last = blank is not None and (getattr(statement, "end_lineno", 0) or 0) >= blank.end - 1
            if blank is not None and last and place.value in known:
                found.add(blank.name)
        return frozenset(found)

    def variables(self, value: int) -> frozenset[str]:
        """The variables that hold a value of the reference."""
        return frozenset(target(*bound) for bound in self.comparison.right.bindings(value))

    def own_name(self, value: int) -> str:
        """What the learner's program calls a value, else what the lesson does."""
        mine = self.comparison.mine
        for place in mine.places:
            node = mine.nodes[place.node]
            named = isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
            if place.value == value and place.part < 0 and named:
                return mine.segment(place.node)
        return self.quantity(self.comparison.match(value)) or mine.segment(mine.made[value].node)

    def bound_at(self, value: int) -> int | None:
        """The line that last gave a name to a value, or returned it."""
        bound = [statement.lineno for statement, _ in self.comparison.mine.bindings(value)]
        return bound[-1] if bound else None

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

    # ---- blanks -------------------------------------------------------------------------------

    def said(self, name: str) -> Iterator[str]:
        """What the lesson says about a blank."""
        if name in self.sentences and " right " not in self.sentences[name]:  # a step, no result
            said = self.sentences[name].partition(": ")
            yield f'{SAYS}"{said[2] or said[0]}".'

    def next_blank(self, sources: Sequence[int], node: int) -> str:
        """The blank of the reference's next operation on ``sources``, if it is of another kind.

        In a function outside of classes that the reference has too, it is one of that function.
        It is none that the program has taken, nor one of another helper that the program has.
        """
        if self.at_once(node):
            return ""
        right, name = self.comparison.right, self.comparison.mine.named(node)
        own = set(functions(self.comparison.mine.tree)) - {name}
        alike = any(isinstance(o, ast.FunctionDef) and o.name == name for o in right.tree.body)
        matched = {self.comparison.match(value) for value in sources} - {None, -1}
        used = {one for made in right.made.values() for one in made.sources}
        if matched - used:  # the way of the reference ends there
            return ""
        steps = [
            made
            for value, made in right.made.items()
            if matched & set(made.sources) and (not alike or right.named(made.node) == name)
            if value not in self.comparison.matched and right.named(made.node) not in own
            if not self.comparison.in_other_class(node, made.node)
        ]
        steps.sort(key=lambda made: (-len(matched & set(made.sources)), made.order))
        kind = operation(self.comparison.mine.nodes[node])
        for made in steps:
            if operation(right.nodes[made.node]) == kind:
                return ""
            blank = self._blank(right.line(made.node))
            if blank is not None and blank.name in self.sentences:
                return blank.name
        return ""

    def at_once(self, node: int) -> bool:
        """Whether one function that the reference does not use makes all that is returned."""
        mine = self.comparison.mine
        call, statement = mine.nodes[node], mine.statement(node)
        if not isinstance(statement, ast.Return) or statement.value is not call:
            return False
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return False
        kinds = (ast.Import, ast.ImportFrom)
        imports = (one for one in walked(mine.tree) if isinstance(one, kinds))
        known = {name.asname or name.name for one in imports for name in one.names}
        own = {operation(one) for one in self.comparison.right.nodes}
        return ast.unparse(call.func.value) in known and operation(call) not in own

    def left_out(self, cause: Cause, first: Departure) -> str:
        """The blank of the step that comes before the same operation in the reference only."""
        twin = cause.twin
        if cause.want is not None and cause.want in self.comparison.matched:
            return ""  # the program takes that step, and does not use what it gives
        used = [s for m in self.comparison.right.made.values() if m.node == twin for s in m.sources]
        known = [s for s in first.sources if self.comparison.match(s) not in (None, -1)]
        other = [s for s in known if not any(self.comparison.equal(s, one) for one in used)]
        return self.next_blank(other, first.node) if used and other else ""

    def filled(self, cause: Cause) -> str:
        """The blank of the reference's same operation."""
        twin = cause.twin
        if twin is None or self.comparison.in_other_class(cause.node, twin):
            return ""
        if self.comparison.in_other_function(cause.node, twin):
            return ""
        return self.blank(self.comparison.right.line(twin))

    def blank(self, line: int) -> str:
        """The blank of a line of the reference; empty outside of one."""
        found = self._blank(line)
        return "" if found is None else found.name

    def _blank(self, line: int) -> Region | None:
        return next((one for one in self.regions if one.start < line < one.end), None)


def _follows(node: ast.expr, later: ast.expr) -> bool:
    """Whether an expression is written after one that was evaluated later."""
    return (node.lineno, node.col_offset) > (later.lineno, later.col_offset)


def sizes(shape: Sequence[int]) -> str:
    """A shape as it is told."""
    return f"[{', '.join(map(str, shape))}]"


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else parts[0]
