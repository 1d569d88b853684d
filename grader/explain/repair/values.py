"""What the reference does next, written with the learner's own variables.

Both programs ran on the same inputs, so it is known which of the learner's variables holds which
value of the reference. Where the learner's values leave the path, every expression of the
reference that takes the values at hand is put there instead, or in place of one of them.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice

from grader.base.sanitize import on_one_line
from grader.explain.repair.edits import Change, Edit, Names, bracketed, of_kind, renamed
from grader.explain.trace.alignment import Comparison, Departure
from grader.explain.trace.program import parameters, target
from grader.explain.trace.run import Run
from grader.source.bindings import bound
from grader.source.def_use import read

MOST = 8
"""Expressions of the reference that are written down for one place."""
DEPTH = 4
"""Steps of the reference that are written into one expression."""
MOST_WORK = 400
"""Parts that are looked at for one place."""


@dataclass
class Values:
    """Edits at one place where the values leave the path.

    ``names`` is what the learner calls the names of each function of the reference.
    """

    comparison: Comparison
    departure: Departure
    names: Mapping[str, Names]
    _work: int = 0
    _inner: dict[int, tuple[int, ...]] = field(default_factory=dict)

    @of_kind("value")
    def edits(self) -> Iterator[Edit]:
        """The reference's next expressions in place of the learner's, or of what it takes."""
        node = self._mine.nodes[self.departure.node]
        statement = self._mine.statement(self.departure.node)
        if not isinstance(node, ast.expr) or statement is None:
            return
        for weight, (number, text) in enumerate(self._next()):
            right = self._right.nodes[number]
            known = read(ast.parse(text, mode="eval")) <= _said(self._mine.source)
            if not isinstance(right, ast.expr) or not known:
                continue
            yield self._put(node, right, text, weight)
            for inner in self._taken(number):
                yield self._put(inner, right, text, weight)
            whole = self._statement_value(node)
            if whole is not None:
                yield self._put(whole, right, text, weight + 2)

    @property
    def _mine(self) -> Run:
        return self.comparison.mine

    @property
    def _right(self) -> Run:
        return self.comparison.right

    def _put(self, node: ast.expr, right: ast.expr, text: str, weight: int) -> Edit:
        text = bracketed(self._mine.parents.get(node), node, right, text)
        start, end = self._mine.span(node)
        size = 4 + weight + abs(end - start - len(text)) // 2
        return Edit((Change(start, end, text),), node.lineno, size)

    def _statement_value(self, node: ast.AST) -> ast.expr | None:
        """The whole expression of the statement that ``node`` is inside of."""
        value = getattr(self._mine.statement(self._mine.numbers[node]), "value", None)
        return value if isinstance(value, ast.expr) and value is not node else None

    def _taken(self, number: int) -> Iterator[ast.expr]:
        """The parts of the learner's expression that the reference's takes too."""
        mine = self._mine
        wanted = set(self._right_sources(number))
        for inner in mine.inner(self.departure.node):
            values = {place.value for place in mine.places if place.node == inner}
            node = self._mine.nodes[inner]
            matched = {self.comparison.match(value) for value in values}
            if isinstance(node, ast.expr) and wanted & matched:
                yield node

    # ---- what the reference does next ----------------------------------------------------------

    def _next(self) -> Iterator[tuple[int, str]]:
        """Expressions of the reference that can be written with what is at hand, nearest first."""
        matched = {self.comparison.match(value) for value in self.departure.sources}
        steps: dict[int, tuple[int, int, int]] = {}
        for order, place in enumerate(self._right.places):
            node = self._right.nodes[place.node]
            new = place.part < 0 and place.value not in self._have
            if new and isinstance(node, ast.expr) and not isinstance(node, ast.Name):
                shared = matched.intersection(self._right_sources(place.node))
                steps.setdefault(place.node, (-len(shared), abs(order - self._order), place.value))
        numbers = sorted(steps, key=lambda one: steps[one])
        texts = (self._written(one, DEPTH, frozenset((steps[one][2],))) for one in numbers)
        pairs = zip(numbers, texts, strict=True)
        yield from islice(((number, text) for number, text in pairs if text is not None), MOST)

    @cached_property
    def _order(self) -> int:
        """When the reference has the last of the values that the learner's expression takes."""
        made = self._right.made
        matched = (self.comparison.match(value) for value in self.departure.sources)
        return max((made[one].order for one in matched if one is not None and one >= 0), default=0)

    def _right_sources(self, number: int) -> Iterator[int]:
        for inner in self._inside_of(number):
            yield from self._values_of(inner)

    def _values_of(self, number: int) -> tuple[int, ...]:
        return self._by_node.get(number, ())

    @cached_property
    def _by_node(self) -> Mapping[int, tuple[int, ...]]:
        found: dict[int, tuple[int, ...]] = {}
        for place in self._right.places:
            if place.part < 0:
                found[place.node] = (*found.get(place.node, ()), place.value)
        return found

    def _written(self, number: int, depth: int, path: frozenset[int]) -> str | None:
        """A node of the reference with the learner's variables; None where one is not at hand."""
        node = self._right.nodes[number]
        self._work += 1
        if not depth or self._work > MOST_WORK or not isinstance(node, ast.expr):
            return None
        pieces: list[Change] = []
        text = self._right
        for inner in self._inside_of(number):
            found = self._for(inner, depth - 1, path)
            if found is None:
                return None
            new, said = found
            outer = text.parents.get(text_node := self._right.nodes[inner])
            pieces.append(Change(*text.span(text_node), bracketed(outer, text_node, new, said)))
        start, end = text.span(node)
        names = self._names_at(number)
        pieces += list(self._plain(node, pieces, names, depth - 1, path))
        done = [(piece.start, piece.end) for piece in pieces]
        pieces += [
            piece
            for piece in renamed(text, node, names)
            if not any(a <= piece.start and piece.end <= b for a, b in done)
        ]
        parts, at = [], start
        for piece in sorted(pieces):
            parts += [text.data[at : piece.start].decode(), piece.text]
            at = piece.end
        whole = "".join([*parts, text.data[at:end].decode()])
        return on_one_line(whole) if "#" not in whole else None

    def _plain(
        self, node: ast.expr, pieces: list[Change], names: Names, depth: int, path: frozenset[int]
    ) -> Iterator[Change]:
        """What the reference's variables in an expression stand for that hold no tensors."""
        for one in ast.walk(node):
            if not isinstance(one, ast.Name) or names.name(one.id) != one.id:
                continue
            start, end = self._right.span(one)
            made = bound(self._right.tree, one.id, one.lineno)
            local = made is not None and self._right.around(made) is self._right.around(one)
            inside = any(piece.start <= start < piece.end for piece in pieces)
            if inside or not local or not isinstance(made, ast.Assign):
                continue
            said = self._written(self._right.numbers[made.value], depth, path)
            if said is not None:
                said = bracketed(self._right.parents.get(one), one, made.value, said)
                yield Change(start, end, said + _entry(made.targets[0], one.id))

    def _names_at(self, number: int) -> Names:
        """What the learner calls the names of the reference's function around a node."""
        inside = self._right.around(self._right.nodes[number])
        name = inside.name if inside is not None else ""
        return self.names.get(name) or self.names.get("") or Names({}, {})

    def _inside_of(self, number: int) -> tuple[int, ...]:
        if number not in self._inner:
            self._inner[number] = tuple(self._nearest(number))
        return self._inner[number]

    def _nearest(self, number: int) -> Iterator[int]:
        """The nearest nodes inside that gave numbers, also where only their sizes are used."""
        stack = list(ast.iter_child_nodes(self._right.nodes[number]))
        while stack:
            one = stack.pop()
            inner = self._right.numbers[one]
            if inner in self._by_node:
                yield inner
            else:
                stack += ast.iter_child_nodes(one)

    def _for(self, inner: int, depth: int, path: frozenset[int]) -> tuple[ast.expr, str] | None:
        """What stands for a part of the reference's expression, and the kind of node it is."""
        for value in self._values_of(inner):
            if value in self._have:
                said = self._have[value]
                return ast.parse(f"({said})", mode="eval").body, said
        node = self._right.nodes[inner]
        for value in self._values_of(inner):
            made = self._right.made[value]
            if value in path:
                continue
            source = self._right.nodes[made.node]
            text = self._written(made.node, depth, path | {value})
            if text is not None and isinstance(source, ast.expr):
                return source, text
        if isinstance(node, ast.Attribute) and not self._values_of(inner):
            return node, self._right.of(self._right.nodes[inner])
        return None

    # ---- what is at hand -----------------------------------------------------------------------

    @cached_property
    def _have(self) -> Mapping[int, str]:
        """The values of the reference that a variable of the learner's holds at the place.

        Or that an expression gives there.
        """
        found: dict[int, str] = {}
        mine, number = self._mine, self.departure.node
        here = {
            self._mine.of(self._mine.nodes[place.node]): place.value
            for place in mine.places[: self._last + 1]
            if place.part < 0 and place.node in (number, *mine.inner(number))
        }
        for name, value in (*self._variables.items(), *here.items()):
            match = self.comparison.match(value)
            if match is not None and match >= 0:
                found.setdefault(match, name)
        return found

    @cached_property
    def _variables(self) -> Mapping[str, int]:
        """The value that each variable of the function has at the place."""
        mine = self._mine
        function = mine.around(mine.nodes[self.departure.node])
        last = self._last
        found: dict[str, int] = {}
        for order, place in enumerate(mine.places[: last + 1]):
            node = mine.nodes[place.node]
            if function is not None and node is function:
                names = parameters(function)
                if 0 <= place.part < len(names):
                    found[names[place.part]] = place.value
            elif self._inside(node, function):
                for name in self._named(place.node, place.part, bound=order < last):
                    found[name] = place.value
        return found

    @property
    def _last(self) -> int:
        """When the place was reached, as an entry of the run."""
        number, value = self.departure.node, self.departure.value
        if self.departure.raised:
            return len(self._mine.places) - 1
        places = self._mine.places
        found = (i for i, one in enumerate(places) if one.node == number and one.value == value)
        return max(found, default=self._mine.made[value].order)

    def _inside(self, node: ast.AST, function: ast.AST | None) -> bool:
        first, last = getattr(function, "lineno", 0), getattr(function, "end_lineno", 0)
        return function is not None and first <= getattr(node, "lineno", 0) <= last

    def _named(self, number: int, part: int, *, bound: bool) -> Iterator[str]:
        """The variables that an expression reads, or with ``bound`` those that get its value."""
        mine = self._mine
        node = mine.nodes[number]
        if part < 0 and isinstance(node, ast.Name):
            yield node.id
        if part < 0 and isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield f"{node.value.id}.{node.attr}"
        if bound and mine.is_whole(number) and (name := target(mine.statement(number), part)):
            yield name


@lru_cache(maxsize=8)
def _said(source: str) -> frozenset[str]:
    """The words of a program, and the names that Python has."""
    return frozenset((*re.findall(r"\w+", source), *dir(builtins)))


def _entry(target: ast.expr, name: str) -> str:
    """The index of a name among those that take a value apart; empty for one that takes it all."""
    parts = target.elts if isinstance(target, ast.Tuple) else []
    return next((f"[{n}]" for n, one in enumerate(parts) if getattr(one, "id", "") == name), "")
