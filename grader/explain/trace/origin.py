"""Where a plain number comes from that the reference does not have: the line that works it out.

A size, a scale or an axis is handed on from line to line before it makes a tensor wrong. It is
followed back through variables, attributes and parameters.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from grader.explain.trace.alignment import Comparison
from grader.explain.trace.program import taken
from grader.explain.trace.run import Run
from grader.explain.trace.slicing import Slices
from grader.source.bindings import arguments, bound, calling, targets

FARTHEST = 8
"""Lines that a number is followed back through."""

NAMED = (ast.Name, ast.Attribute)
"""What hands a number on."""


@dataclass(frozen=True)
class Origin:
    """The ``node`` that gives ``name`` its number ``have``."""

    node: int
    name: str
    have: float


@dataclass(frozen=True)
class Origins:
    """Looks for the origins of plain numbers in one comparison."""

    comparison: Comparison

    def of(self, node: int, order: int) -> Origin | None:
        """Where the one unknown number comes from that an expression uses at entry ``order``.

        None if it has none, or several from different lines, or its own line makes it.
        """
        mine = self.comparison.mine
        found = {
            mine.line(one.node): one
            for leaf, have in self._unknown(node, order)
            if (one := self._from(leaf, have, order, FARTHEST)) is not None
        }
        (only,) = found.values() if len(found) == 1 else (None,)
        return None if only is None or mine.line(only.node) == mine.line(node) else only

    def behind(self, line: int) -> Origin | None:
        """The nearest number that the reference has not, on which what a line does depends."""
        mine = self.comparison.mine
        far = Slices(mine).of(line)
        for statement in sorted(mine.statements, key=lambda one: far.get(one.lineno, 0)):
            value = getattr(statement, "value", None)
            if not far.get(statement.lineno) or not isinstance(value, ast.expr):
                continue
            for leaf, have in self._unknown(mine.numbers[value], len(mine.places)):
                return self._from(leaf, have, len(mine.places), FARTHEST)
        return None

    def _unknown(self, node: int, order: int) -> Iterator[tuple[int, float]]:
        """The names inside an expression that hold a number which the reference has not there."""
        mine = self.comparison.mine
        known = self._by_function.get(mine.named(node)) or self._all
        for one in ast.walk(mine.nodes[node]):
            if isinstance(one, NAMED):
                leaf = mine.numbers[one]
                if not mine.holds_several(leaf):
                    found = mine.held(leaf, order)
                    yield from ((leaf, have) for have in found if have not in known)

    def _from(self, leaf: int, have: float, order: int, most: int) -> Origin | None:
        """The statement that first gives this number, as far as it is handed on."""
        mine = self.comparison.mine
        name = mine.segment(leaf)
        for value in self._values(leaf, name, have) if most else ():
            inner = [mine.numbers[one] for one in ast.walk(value) if isinstance(one, NAMED)]
            handed = [one for one in inner if have in mine.held(one, order) and one != leaf]
            found = self._from(handed[0], have, order, most - 1) if handed else None
            return found or Origin(mine.numbers[value], name, have)
        return None

    def _values(self, leaf: int, name: str, have: float) -> Iterator[ast.expr]:
        """The expressions that give a variable, an attribute or a parameter its value ``have``."""
        mine = self.comparison.mine
        statement = bound(mine.tree, name, mine.line(leaf))
        shared = (one for one in mine.tree.body if name in targets(one))
        value = getattr(statement or next(shared, None), "value", None)
        if isinstance(value, ast.expr):
            yield value
            return
        function = mine.around(mine.nodes[leaf])
        if function is None or name not in taken(function):
            return
        for call in calling(mine.tree, function.name):
            given = arguments(call, taken(function)).get(name)
            number = mine.numbers.get(given) if given is not None else None
            written = isinstance(given, ast.Constant) and given.value == have
            if given is not None and (written or (number and have in mine.held(number))):
                yield given

    @cached_property
    def _all(self) -> frozenset[float]:
        """Every plain number of the reference."""
        return _held(self.comparison.right, self.comparison.right.scalars)

    @cached_property
    def _by_function(self) -> Mapping[str, frozenset[float]]:
        """The plain numbers that each function of the reference has."""
        right = self.comparison.right
        nodes: dict[str, list[int]] = {}
        for node in right.scalars:
            nodes.setdefault(right.named(node), []).append(node)
        return {name: _held(right, some) for name, some in nodes.items()}


def _held(run: Run, nodes: Iterable[int]) -> frozenset[float]:
    return frozenset(one.value for node in nodes for one in run.scalars[node])
