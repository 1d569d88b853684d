"""A departure from the reference's path in sentences, and a program's lines with what they gave.

Longer than 300 lines, because sentences, names of values and the margin ask each other.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.base.blanks import Region
from grader.base.model import Margin, Trace
from grader.grading import differs
from grader.grading.cause import Cause, Causes, wasted
from grader.grading.relations import Relation
from grader.grading.rewrite import Rewrite
from grader.grading.run import Run, operation
from grader.grading.slips import Slip, bound, crossed, misfit
from grader.grading.trace import Comparison, Departure
from grader.protocol.probe import SeenError

MOST_DEPARTURES = 2
"""Where a program leaves the path at more places than this, it goes another way altogether."""

MOST_TEXT = 70

SHAPES = re.compile("ValueError|IndexError|RuntimeError")
"""Types of errors that come from the shapes of values, and so perhaps from an earlier line."""


@dataclass(frozen=True)
class Teller:
    """Says what a comparison found, in the words of the lesson.

    ``names`` says by blank what its last line gives, ``sentences`` what its check says.
    """

    comparison: Comparison
    regions: Sequence[Region]
    names: Mapping[str, str]
    sentences: Mapping[str, str]

    def departed(self, result: int | None, wanted: int | None) -> Trace:
        """Where the values on the way to ``result`` leave the path; the right one is ``wanted``."""
        if result is not None and self.comparison.known(result):
            return self._returned(result, wanted)
        found = () if result is None else self.comparison.departures(result)
        lines = {self.comparison.mine.line(one.node): one for one in map(self._causes.of, found)}
        cause = next(iter(lines.values()), None) if len(lines) <= MOST_DEPARTURES else None
        if cause is not None and len(found) == 1 and not self.comparison.flows(found[0].value):
            cause = self._from_result(result, wanted) or cause
        slip = self._slip(cause)
        if slip is not None:
            return Trace((slip.said,), slip.line, tuple(self.margin(found)))
        if cause is None:
            return Trace((), None, tuple(self.margin(())))
        first, line = found[0], self._line(cause)
        told = [*self._still_right(first, line), *self._gives(first, cause)]
        margin, blank = tuple(self.margin(found)), self._left_out(cause, first)
        blank = blank or self._filled(cause) or self._next_blank(first.sources, first.node)
        return Trace((*told, *self._lesson(blank)), line, margin, blank)

    def raised(self, error: SeenError) -> Trace:
        """The values on the line that raised an error, and where they went wrong."""
        mine, line = self.comparison.mine, error.line or 0
        shapes: dict[str, str] = {}
        for place in mine.places:
            array = mine.arrays[place.value]
            named = isinstance(mine.nodes[place.node], ast.Name | ast.Attribute)
            here = mine.line(place.node) == line and place.part < 0
            if here and named and array is not None:
                shapes[mine.segment(place.node)] = _shape(array.shape)
        listed = [f"{text} is {shape}" for text, shape in shapes.items()]
        told = [f"On line {line}, {_listed(listed)}."] if listed else []
        tree = mine.nodes[0]
        slip = misfit(tree, error) if isinstance(tree, ast.Module) else None
        code = error.calls[-1].code if error.calls else ""
        cause = self._before(line, code, error.type_name)
        if cause is not None:
            orders = [n for n, p in enumerate(mine.places) if p.node == cause.node]
            cause = self._causes.outside(cause, orders[-1] if orders else len(mine.places))
        slip = slip or self._slip(cause)
        if slip is not None:
            return Trace((*told, slip.said), slip.line, tuple(self.margin(())))
        if cause is None:
            given = len(error.calls) > 1 and error.function in self.comparison.proven - {"__call__"}
            at = error.calls[-2].line if given else line
            return Trace(tuple(told), at, tuple(self.margin(())))
        told += self._why(cause, line)
        at, margin, blank = self._line(cause), tuple(self.margin(())), self._filled(cause)
        if at == line:
            told += self._lesson(blank or self._next_blank(mine.latest(cause.node), cause.node))
        write = Rewrite(self.comparison).of(cause)
        return Trace(tuple(told), at, margin, blank, write, sure=not cause.other)

    @property
    def _causes(self) -> Causes:
        return Causes(self.comparison)

    def _slip(self, cause: Cause | None) -> Slip | None:
        """What the source itself shows to be wrong: arguments swapped, a result not used.

        A variable of the reference's own name is right, and wrong where it should be read.
        """
        mine = self.comparison.mine
        tree = mine.nodes[0]
        if isinstance(tree, ast.Module) and (slip := next(crossed(tree), None)) is not None:
            return slip
        for node, value, name in wasted(self.comparison):
            line, match = mine.line(node), self.comparison.match(value)
            if name and cause is not None and (match is None or f"`{name}`" in self._called(match)):
                continue
            quantity = self.quantity(match)
            what = f"gives {quantity}" if quantity else "computes something"
            fix = "Is a return missing before it?" if mine.ends(node) else "Is it to be assigned?"
            fix = "" if name else f" {fix}"
            return Slip(line, f"Line {line} {what}, and nothing uses the result.{fix}")
        return None

    def _called(self, value: int) -> frozenset[str]:
        """The variables that hold a value of the reference."""
        bound = self._bindings(self.comparison.right, value)
        targets = ((one.targets[0], part) for one, part in bound if isinstance(one, ast.Assign))
        return frozenset(_target(target, part) for target, part in targets)

    def _from_result(self, result: int | None, wanted: int | None) -> Cause | None:
        """The cause in a program that computes from no input: its last operation says more."""
        if result is None or wanted is None:
            return None
        return self._causes.from_result(result, wanted)

    def _returned(self, result: int, wanted: int | None) -> Trace:
        """The line that returns a right value where another is wanted."""
        bound = self._bindings(self.comparison.mine, result)
        returns = [one.lineno for one, _ in bound if isinstance(one, ast.Return)]
        margin = tuple(self.margin(()))
        if (slip := self._slip(None)) is not None:
            return Trace((slip.said,), slip.line, margin)
        have, want = self.quantity(self.comparison.match(result)), self.quantity(wanted)
        if not returns or not have or not want or have == want:
            return Trace((), None, margin)
        said = f"Line {returns[-1]} returns {have} where the reference returns {want}."
        return Trace((said,), returns[-1], margin)

    def _before(self, line: int, code: str, error: str) -> Cause | None:
        """The cause of an error that the expression ``code`` raised at ``line``."""
        mine = self.comparison.mine
        node = mine.written(line, code)
        if node is None:
            return None
        for outer in (node, *mine.outer(node)):
            cause = self._causes.at(outer, mine.latest(outer), len(mine.places))
            if cause.twin is not None or cause.gives is not None:
                return cause
        for value in mine.latest(node) if SHAPES.search(error) else ():
            found = self.comparison.departures(value)
            if found and self.comparison.flows(value):
                return replace(self._causes.of(found[0]), twin=None)
        return self._causes.at(node, mine.latest(node), len(mine.places))

    def _why(self, cause: Cause, line: int) -> Iterator[str]:
        """What an error came from."""
        mine = self.comparison.mine
        at = self._line(cause)
        text = mine.segment(cause.node)
        if cause.want is not None:
            if said := self._uses(cause):
                yield said if at == line else f"Line {at}: {said}"
        elif cause.twin is not None and (
            said := differs.written(mine.nodes[cause.node], self.comparison.right.nodes[cause.twin])
        ):
            yield said if at == line else f"Line {at}: {said}"
        elif cause.gives is not None:
            want = self._what(cause.gives)
            made = next((p for p in reversed(mine.places) if p.node == cause.node), None)
            array = None if made is None else mine.arrays[made.value]
            if at == line or array is None:
                yield f"From the same values the reference computes {want} here."
            else:
                shown = text if len(text) <= MOST_TEXT else "this line"
                yield (
                    f"It goes wrong on line {at}: {shown} gives {_shape(array.shape)}, "
                    f"where the reference has {want}."
                )

    def _line(self, cause: Cause) -> int:
        """The line of a cause; where only a size differs that a variable holds, the variable's."""
        mine = self.comparison.mine
        line, node, tree = mine.line(cause.node), mine.nodes[cause.node], mine.nodes[0]
        if cause.gives is None or not isinstance(node, ast.Call):
            return line
        names = [one.id for one in node.args if isinstance(one, ast.Name)]
        held = [one for one in names if not mine.is_seen(one, cause.node)]
        if len(held) != 1 or not isinstance(tree, ast.Module):
            return line
        statement = bound(tree, held[0], line)
        return line if statement is None else statement.lineno

    def _what(self, value: int) -> str:
        """A value of the reference: its name, if it has one, and its shape."""
        array, quantity = self.comparison.right.arrays[value], self.quantity(value)
        shape = "" if array is None else _shape(array.shape)
        return f"{quantity}, {shape}" if quantity else shape

    def _uses(self, cause: Cause) -> str:
        """Which value stands where the reference has another."""
        have = self.quantity(self.comparison.match(cause.have)) if cause.have is not None else ""
        want = self.quantity(cause.want)
        if have and want and have != want:
            return f"It uses {have} where the reference uses {want}."
        also = "" if cause.have is not None else "also "
        return f"The reference {also}uses {want} here." if want else ""

    # ---- sentences ------------------------------------------------------------------------

    def _still_right(self, one: Departure, before: int) -> Iterator[str]:
        mine = self.comparison.mine
        known = [v for v in one.sources if self._named(v)]
        if not known:
            return
        last = max(known, key=lambda v: mine.made[v].order)
        at = self._bound_at(last)
        quantity = self.quantity(self.comparison.match(last))
        what = f": it gives {quantity}" if quantity else ""
        if at is not None and at < before:
            yield f"Line {at} is still right{what}."

    def _named(self, value: int) -> bool:
        """Whether the reference computes this value too, from the same inputs."""
        match = self.comparison.match(value)
        return match is not None and match >= 0 and self.comparison.flows(value)

    def _gives(self, one: Departure, cause: Cause) -> Iterator[str]:
        mine = self.comparison.mine
        text = mine.segment(cause.node)
        shown = f": {text}" if len(text) <= MOST_TEXT else ""
        yield f"Line {self._line(cause)} gives something else{shown}"
        relation = self._relation(one.relation) if one.relation is not None else ""
        said = self._differs(one, cause) or self._uses(cause) or relation or self._again(one)
        yield from filter(None, (said,))

    def _again(self, one: Departure) -> str:
        """Whether a call is made on what the same call gave before."""
        mine = self.comparison.mine
        node = mine.nodes[one.node]
        kind = operation(node)
        for place in mine.places if isinstance(node, ast.Call) else ():
            before = mine.nodes[place.node]
            inner = place.value in one.sources and place.node != one.node
            if inner and isinstance(before, ast.Call) and operation(before) == kind:
                return f"It calls {kind} twice: on what {kind} gave already."
        return ""

    def _differs(self, one: Departure, cause: Cause) -> str:
        """What the operation does otherwise than the reference's: as written, or by its numbers."""
        mine, right = self.comparison.mine, self.comparison.right
        node = mine.nodes[cause.node]
        if cause.twin is not None and cause.have is None:
            told = differs.written(node, right.nodes[cause.twin])
            return told or self._combined(one, cause.gives)
        if cause.twin is not None:
            same_node = [p.value for p in right.places if p.node == cause.twin]
            return self._combined(one, same_node[0]) if cause.node == one.node else ""
        if cause.node != one.node or cause.have is not None:
            return ""
        matched = [self.comparison.match(value) for value in one.sources]
        for value, made in right.made.items():
            if list(made.sources) == matched and value not in self.comparison.matched:
                told = differs.kinds(node, right.nodes[made.node])
                return told or self._combined(one, value)
        return self._combined(one, None)

    def _combined(self, one: Departure, want: int | None) -> str:
        """What a value has too much or too little of, beside one of the reference's."""
        mine, right = self.comparison.mine, self.comparison.right
        array = mine.arrays[one.value]
        if array is None:
            return ""
        known = [v for v in mine.made if v != one.value and self.comparison.known(v)]
        others = [(self._own_name(v), a) for v in known if (a := mine.arrays[v]) is not None]
        missing = [v for v in right.made if v not in self.comparison.matched]
        for value in [want] if want is not None else missing:
            other = right.arrays[value]
            if other is None or other.shape != array.shape:
                continue
            made = right.made[value]
            used = [v for v in known if self.comparison.match(v) in made.sources]
            names = frozenset(map(self._own_name, used))
            if said := differs.combined(array, other, others, names):
                return said
        return ""

    def _own_name(self, value: int) -> str:
        """What the learner's program calls a value, else what the lesson does."""
        mine = self.comparison.mine
        for place in mine.places:
            node = mine.nodes[place.node]
            if place.value == value and isinstance(node, ast.Name | ast.Attribute):
                return mine.segment(place.node)
        return self.quantity(self.comparison.match(value)) or mine.segment(mine.made[value].node)

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

    def _lesson(self, name: str) -> Iterator[str]:
        """What the lesson says about a blank."""
        if name in self.sentences:
            said = self.sentences[name].partition(": ")
            yield f'At this point the lesson says: "{said[2] or said[0]}".'

    def _next_blank(self, sources: Sequence[int], node: int) -> str:
        """The blank of the reference's next operation on ``sources``, if it is of another kind."""
        right = self.comparison.right
        matched = {self.comparison.match(value) for value in sources} - {None, -1}
        steps = [made for made in right.made.values() if matched & set(made.sources)]
        steps.sort(key=lambda made: (-len(matched & set(made.sources)), made.order))
        kind = operation(self.comparison.mine.nodes[node])
        for made in steps:
            if operation(right.nodes[made.node]) == kind:
                return ""
            blank = self._blank(right.line(made.node))
            if blank is not None and blank.name in self.sentences:
                return blank.name
        return ""

    def _left_out(self, cause: Cause, first: Departure) -> str:
        """The blank of the step that comes before the same operation in the reference only."""
        twin = cause.twin
        used = [s for m in self.comparison.right.made.values() if m.node == twin for s in m.sources]
        other = [s for s in first.sources if self.comparison.match(s) not in (None, -1, *used)]
        return self._next_blank(other, first.node) if used and other else ""

    def _filled(self, cause: Cause) -> str:
        """The blank of the reference's same operation."""
        twin = cause.twin
        blank = None if twin is None else self._blank(self.comparison.right.line(twin))
        return "" if blank is None else blank.name

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
