"""Where a program leaves the reference's path: the line, and what was read off there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grader.base.model import Trace
from grader.explain.trace.alignment import Comparison, Departure
from grader.explain.trace.lesson import Lesson, sizes
from grader.explain.trace.margin import margin
from grader.explain.trace.origin import FARTHEST, Origin, Origins
from grader.explain.trace.run import Run, operation
from grader.protocol.probe import SeenError
from grader.source.bindings import bound, callee

ENTRIES = ("__call__", "__init__", "forward")
"""Functions that are called by other names."""
MOST_TEXT = 60
"""Characters of an expression that is shown."""
OF_NAMES = re.compile("Name|Attribute|Type|Import|Key|Local")
"""Types of errors that no number leads to."""
SCALES = ("Mult", "Div", "mul", "div")
"""Operations that multiply all numbers of a value by the same."""
NEAR = 3
"""Steps of the reference that a program may leave out."""


@dataclass(frozen=True)
class Localizer:
    """Says where one comparison leaves the path, in the words of the lesson."""

    lesson: Lesson

    @property
    def comparison(self) -> Comparison:
        """Both runs."""
        return self.lesson.comparison

    @property
    def mine(self) -> Run:
        """The learner's run."""
        return self.comparison.mine

    def wrong(self, result: int | None) -> Trace:
        """Where the values on the way to a wrong result stop being the reference's."""
        if result is None:
            return self._trace(None)
        if self.comparison.known(result):
            return self._unfinished(result)
        every = self.comparison.departures(result)
        found = tuple(one for one in every if not self.comparison.swaps(one)) or every
        found = self.comparison.but_rewritten(found)
        if not found:
            return self._trace(None)
        first = next((one for one in found if not self.comparison.from_nothing(one)), found[0])
        node = self._outside(first)
        order = self.mine.made[first.value].order
        origin = None if self._is_extra(first) else Origins(self.comparison).of(first.node, order)
        if origin is not None:
            line, said = self._number(origin)
            return self._trace(line, found, (said, *self._facts(first, node)))
        if (lacks := self._left_out(first)) is not None:
            line, blank = lacks
            return self._trace(line, found, self._facts(first, node), blank, left_out=True)
        blank = self._next_blank(first)
        return self._trace(self._line(node), found, self._facts(first, node), blank)

    def raised(self, error: SeenError) -> Trace:
        """Where the values on the line of an error come from that the reference does not have."""
        line = self._raised_at(error)
        told = tuple(self.lesson.shapes_on(error.line or 0))
        node = self.mine.raising(error)
        if node is None or self.mine.outran(node):
            return self._trace(line, told=told)
        origin = _size(Origins(self.comparison).of(node, len(self.mine.places)))
        if origin is not None:
            at, said = self._number(origin)
            return self._trace(at, told=(said, *told))
        for value in self._unknown(node):
            for one in self.comparison.departures(value)[:1]:
                at = self._outside(one)
                return self._trace(self._line(at), (one,), (*told, *self._facts(one, at)))
        origin = _size(Origins(self.comparison).behind(line or 0))
        if origin is None or OF_NAMES.search(error.type_name):
            return self._trace(line, told=told)
        at, said = self._number(origin)
        return self._trace(at, told=(said, *told))

    def _unknown(self, node: int) -> Iterator[int]:
        """The values of an expression that are wrong; of right ones, a constant among them."""
        values = self.mine.latest(node)
        wrong = [one for one in values if not self.comparison.settled(one)]
        yield from wrong
        if not wrong:
            yield from (one for one in values if self.comparison.is_other(one))

    def number(self, wrong: float) -> Trace:
        """Where a wrong plain number comes from that is returned: it is made of tensors."""
        node = self.mine.returned(wrong)
        for _ in range(FARTHEST):
            if node is None:
                break
            taken = self.mine.feeding(node)
            lost = [one for one in taken if not self.comparison.known(one)]
            if lost:
                return self.wrong(lost[0])
            if taken:
                line, text = self.mine.line(node), self.mine.segment(node)
                return self._trace(line, told=(f"The numbers go wrong on line {line}: {text}",))
            node = self._assigned(node)
        return self.unused()

    def _assigned(self, node: int) -> int | None:
        """The expression that gave its value to a variable which an expression reads."""
        names = (one for one in ast.walk(self.mine.nodes[node]) if isinstance(one, ast.Name))
        made = (bound(self.mine.tree, one.id, one.lineno) for one in names)
        values = (getattr(one, "value", None) for one in made)
        return next((self.mine.numbers[one] for one in values if one is not None), None)

    def unused(self) -> Trace:
        """Where the values leave the path in a program whose result is a text, or nothing.

        What counts is the first wrong value that nothing uses any more, outside of what is right
        alone.
        """
        compared = replace(self.comparison, plain=True)
        used = {source for made in self.mine.made.values() for source in made.sources}
        wrong = [
            (made.order, value)
            for value, made in self.mine.made.items()
            if value not in used and self.mine.arrays[value] is not None
            if not isinstance(self.mine.nodes[made.node], ast.Name)  # which made nothing
            if not self.mine.scope(made.node) & compared.proven and not compared.known(value)
        ]
        if not wrong:
            return self._trace(None)
        return Localizer(replace(self.lesson, comparison=compared)).wrong(min(wrong)[1])

    # ---- places -------------------------------------------------------------------------------

    def _raised_at(self, error: SeenError) -> int | None:
        """The line that raised an error; of a helper that is right alone, the one that calls it."""
        proven = error.function in self.comparison.proven - {"__call__"}
        return error.calls[-2].line if proven and len(error.calls) > 1 else error.line

    def _outside(self, one: Departure) -> int:
        """The node of a departure; the call of its function where that is what brings it together.

        So it is of one that is right alone or in another call, or that was given what the reference
        never takes together.
        """
        node, order = one.node, self.mine.made[one.value].order
        seen = {node}  # functions may call each other
        while (name := self.mine.named(node)) and self._is_given(node, one, name):
            calls = (place.node for place in self.mine.places[order:])
            outer = next((call for call in calls if self._calls(call, name, node)), None)
            if outer is None or outer in seen:
                break
            node = outer
            seen.add(node)
        return node

    def _calls(self, call: int, name: str, node: int) -> bool:
        """Whether an expression calls the function ``name`` around a node."""
        one = self.mine.nodes[call]
        if name not in ENTRIES or not isinstance(one, ast.Call):
            return callee(one) == name
        return bool(self.mine.scope(node) - self.mine.scope(call) - {name})  # in another class

    def _is_given(self, node: int, one: Departure, name: str) -> bool:
        """Whether the mistake is in what the function around a node is given."""
        if self.mine.scope(node) & self.comparison.proven:
            return True
        if name not in ENTRIES and any(map(self._makes, self.mine.values(node))):
            return True  # in another call it made what is right
        inside = self.mine.function(node)
        given = self.mine.given(inside) if inside is not None else frozenset[int]()
        if not one.sources or not given.issuperset(one.sources) or name in ENTRIES:
            return False
        taken = {self.comparison.match(source) for source in one.sources}
        right, kind = self.comparison.right, operation(self.mine.nodes[one.node])
        alike = [m for m in right.made.values() if operation(right.nodes[m.node]) == kind]
        some = right.made.values() if len(taken) > 1 else alike
        return bool(some) and not any(taken.issubset(made.sources) for made in some)

    def _makes(self, value: int) -> bool:
        """Whether a value is right, and not what it was made of."""
        made = self.mine.made.get(value)
        taken = () if made is None else map(self.comparison.match, made.sources)
        return self.comparison.known(value) and self.comparison.match(value) not in taken

    def _line(self, node: int) -> int:
        """The line of a node; of an attribute that the object keeps, the one that sets it."""
        one, line = self.mine.nodes[node], self.mine.line(node)
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute):
            return one.func.end_lineno or line  # of a chain over several lines
        if isinstance(one, ast.Attribute):
            statement = bound(self.mine.tree, self.mine.of(one), line)
            return line if statement is None else statement.lineno
        return line

    def _number(self, origin: Origin) -> tuple[int, str]:
        """The line of a plain number, and what it is."""
        line = self.mine.line(origin.node)
        return line, f"{origin.name} is {origin.have:g}, from line {line}."

    def _is_extra(self, first: Departure) -> bool:
        """Whether a departure multiplies what the reference does not, whatever by."""
        relation, right = first.relation, self.comparison.right
        if relation is None or relation.kind != "scaled":
            return False
        if relation.of not in map(self.comparison.match, first.sources):
            return False
        using = (one.node for one in right.made.values() if relation.of in one.sources)
        return not any(operation(right.nodes[node]) in SCALES for node in using)

    # ---- the reference's next step ------------------------------------------------------------

    def _left_out(self, first: Departure) -> tuple[int, str] | None:
        """The line after which a step is missing, and its blank.

        The program does with a value what the reference does only with a later one.
        """
        kind, right = operation(self.mine.nodes[first.node]), self.comparison.right
        taken = {self.comparison.match(source) for source in first.sources}
        if len(taken) > 1 and any(taken.issubset(made.sources) for made in right.made.values()):
            return None  # the reference does something else with the same values
        alike = [one for one in right.made.values() if operation(right.nodes[one.node]) == kind]
        for source in first.sources:
            match = self.comparison.match(source)
            if match is None or match < 0 or any(match in one.sources for one in alike):
                continue
            for made in alike:
                for step in self._between(match, made.sources):
                    node = right.made[step].node
                    line = self._bound(source, right.named(node))
                    if line is None or self.mine.turns_between(line, self._outside(first)):
                        return None
                    return line, self.lesson.blank(node)
        return None

    def _bound(self, value: int, name: str) -> int | None:
        """The line that gives a name to a value, in a function of this name if there is one."""
        found = [one for one, _ in self.mine.bindings(value)]
        own = [one for one in found if self.mine.named(self.mine.numbers[one]) == name]
        return next((one.lineno for one in reversed(own or found)), None)

    def _between(self, start: int, ends: Sequence[int]) -> Iterator[int]:
        """The values that the reference makes of ``start`` on the way to one of ``ends``.

        Only if the program has none of them.
        """
        right, matched = self.comparison.right, self.comparison.matched
        for end in ends:
            way = [end]
            while len(way) <= NEAR and way[-1] not in (start, *matched):
                made = right.made[way[-1]]
                lacks = [one for one in made.sources if one not in matched and one != start]
                onward = [start] if start in made.sources else lacks[:1]
                others = [one for one in lacks if one not in onward]
                if not onward or not all(self._is_at_hand(one, start) for one in others):
                    break
                way += onward
            if way[-1] == start and len(way) > 1:
                yield way[-2]

    def _is_at_hand(self, value: int, start: int) -> bool:
        """Whether the reference is given a value, or makes it of ``start`` and what is there."""
        made = self.comparison.right.made[value]
        given = isinstance(self.comparison.right.nodes[made.node], ast.FunctionDef)
        return given or all(one == start or one in self.comparison.matched for one in made.sources)

    def _next_blank(self, first: Departure) -> str:
        """The blank of what the reference makes of the same values."""
        made = self._twin(first)
        return "" if made is None else self.lesson.blank(self.comparison.right.made[made].node)

    def _twin(self, first: Departure) -> int | None:
        """What the reference makes of the same values, and the program does not have."""
        matched = {self.comparison.match(value) for value in first.sources} - {None, -1}
        right, kind = self.comparison.right, operation(self.mine.nodes[first.node])
        found = [
            (len(matched & {*made.sources}), operation(right.nodes[made.node]) == kind, -value)
            for value, made in right.made.items()
            if matched & {*made.sources} and value not in self.comparison.matched
        ]
        return -max(found)[2] if found else None

    def _unfinished(self, result: int) -> Trace:
        """The reference has this result too, on its way to another one."""
        right, match = self.comparison.right, self.comparison.match(result)
        later = [m.node for m in right.made.values() if match in m.sources]
        name = right.named(later[0]) if later else ""
        places = [one.node for one in self.mine.places if one.value == result]
        own = [one for one in places if self.mine.named(one) == name]
        line = self.mine.line((own or places)[-1]) if places else None
        quantity = self.lesson.quantity(match)
        told = (f"It returns {quantity}.",) if quantity else ()
        blank = self.lesson.blank(later[0]) if later else ""
        return self._trace(line, told=told, blank=blank, left_out=bool(later))

    # ---- facts --------------------------------------------------------------------------------

    def _facts(self, first: Departure, node: int) -> tuple[str, ...]:
        text = self.mine.segment(node)
        where = f"The numbers go wrong on line {self._line(node)}: {text}"
        return (*([where] if len(text) <= MOST_TEXT else []), *self._apart(first))

    def _apart(self, first: Departure) -> Iterator[str]:
        """What the value is to the reference's."""
        relation, array = first.relation, self.mine.arrays[first.value]
        if relation is not None:
            what = self.lesson.quantity(relation.of) or "a value of the reference"
            match relation.kind:
                case "scaled":
                    yield f"It gives {what} times {relation.factor:.4g}."
                    return
                case "transposed":
                    yield f"It gives {what}, {relation.order}."
                    return
                case "part":
                    yield f"It gives part {relation.index + 1} of {relation.count} of {what}."
                    return
        twin = self._twin(first)
        want = None if twin is None else self.comparison.right.arrays[twin]
        if twin is None or want is None or array is None:
            return
        quantity = self.lesson.quantity(twin)
        if array.shape != want.shape and (quantity or relation is None):
            yield f"It gives {sizes(array.shape)}; the reference has {self.lesson.what(twin)}."
        elif quantity:
            yield f"From the same values, the reference computes {quantity}."

    def _trace(
        self,
        line: int | None,
        found: Sequence[Departure] = (),
        told: Sequence[str] = (),
        blank: str = "",
        *,
        left_out: bool = False,
    ) -> Trace:
        lines = tuple(margin(self.lesson, found))
        return Trace(tuple(dict.fromkeys(told)), line, lines, blank, left_out=left_out)


def _size(origin: Origin | None) -> Origin | None:
    """A whole number, as sizes are; None for another."""
    return origin if origin is not None and origin.have.is_integer() else None
