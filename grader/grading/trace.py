"""Where the numbers of a program leave the path of the reference.

The learner's program and the step's solution run on the same inputs, and every expression of both
tells its value. A value that the reference has too is *known*. Walking back from a wrong result
through values that are not known ends at expressions that make something unknown from known things
only: there the path is left. It comes from the learner's process: it explains, and never decides.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from grader.grading.relations import Floats, Relation, Values, canonical
from grader.protocol.probe import Trail

GIVES = (ast.Attribute, ast.BinOp, ast.Call, ast.Compare, ast.Name, ast.Subscript, ast.UnaryOp)
"""Expressions that give a value of their own."""


class Place(NamedTuple):
    """An expression that had a value: its node, and the index in a tuple or list (-1: itself)."""

    node: int
    part: int
    value: int


@dataclass(frozen=True)
class Made:
    """How a value came to be: by which node, from which other values, as which entry of the run."""

    node: int
    sources: tuple[int, ...]
    order: int


@dataclass(frozen=True)
class Run:
    """A program and what its expressions gave, ready to be asked."""

    text: str
    trail: Trail

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """The nodes of the syntax tree, by number."""
        return tuple(ast.walk(ast.parse(self.text)))

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """What was seen, in order; entries that name no node or no value are left out."""
        most, values = len(self.nodes), len(self.trail.values)
        return tuple(
            Place(node, part, value)
            for node, part, value in self.trail.places.tolist()
            if 0 <= node < most and 0 <= value < values
        )

    @cached_property
    def arrays(self) -> tuple[Floats | None, ...]:
        """The values as float64; what hides is minus infinity. None where it is unknown."""
        return tuple(None if one is None else canonical(one.array) for one in self.trail.values)

    @cached_property
    def parents(self) -> Mapping[int, ast.AST]:
        """The node around each node, by the identity of the inner one."""
        return {id(inner): outer for outer in self.nodes for inner in ast.iter_child_nodes(outer)}

    @cached_property
    def numbers(self) -> Mapping[int, int]:
        """The number of each node, by its identity."""
        return {id(node): number for number, node in enumerate(self.nodes)}

    @cached_property
    def made(self) -> Mapping[int, Made]:
        """How each value was made: by the first expression that had it."""
        found: dict[int, Made] = {}
        latest: dict[int, list[int]] = {}
        fresh: dict[int, int] = {}
        for order, place in enumerate(self.places):
            if fresh.get(place.node) != order - 1 or place.part <= 0:
                latest[place.node] = []
            latest[place.node].append(place.value)
            fresh[place.node] = order
            if place.value not in found:
                sources = dict.fromkeys(
                    value for inner in self.inner(place.node) for value in latest.get(inner, ())
                )
                found[place.value] = Made(place.node, tuple(sources), order)
        return found

    def inner(self, number: int) -> Iterator[int]:
        """The nearest nodes inside ``number`` whose numbers flow into it, in source order.

        Nothing flows out of an expression that gave no numbers: a size, a dtype, a device.
        """
        node = self.nodes[number]
        if isinstance(node, ast.FunctionDef):
            return
        stack = list(ast.iter_child_nodes(node))[::-1]
        while stack:
            one = stack.pop()
            if self.numbers[id(one)] in self._seen_nodes:
                yield self.numbers[id(one)]
            elif not isinstance(one, GIVES) or self._is_called(one):
                stack += list(ast.iter_child_nodes(one))[::-1]

    def _is_called(self, node: ast.AST) -> bool:
        outer = self.parents.get(id(node))
        return isinstance(outer, ast.Call) and outer.func is node

    @cached_property
    def _seen_nodes(self) -> frozenset[int]:
        return frozenset(place.node for place in self.places)

    def line(self, number: int) -> int:
        """Where a node begins, 1-based."""
        return int(getattr(self.nodes[number], "lineno", 0))

    def segment(self, number: int) -> str:
        """The source of a node, on one line."""
        return " ".join((ast.get_source_segment(self.text, self.nodes[number]) or "").split())

    def statement(self, number: int) -> ast.stmt | None:
        """The statement that a node belongs to."""
        node: ast.AST | None = self.nodes[number]
        while node is not None and not isinstance(node, ast.stmt):
            node = self.parents.get(id(node))
        return node


# ---- where the path is left -------------------------------------------------------------------


@dataclass(frozen=True)
class Departure:
    """Where the path is left: an expression that makes something unknown from known things.

    ``node`` is the expression, ``value`` what it gave; ``relation`` what that is to the reference,
    if anything. ``sources`` are the known values that it was made from.
    """

    node: int
    value: int
    sources: tuple[int, ...]
    relation: Relation | None = None


@dataclass
class Comparison:
    """The learner's run beside the reference's."""

    mine: Run
    right: Run
    given: Sequence[npt.NDArray[Any]] = ()
    _known: dict[int, int | None] = field(default_factory=dict)
    _flows: dict[int, bool] = field(default_factory=dict)

    @cached_property
    def _values(self) -> Values:
        return Values(self.right.arrays, self.given)

    def known(self, value: int) -> bool:
        """Whether the reference has this value too, or it was given."""
        return self.match(value) is not None

    def match(self, value: int) -> int | None:
        """The reference's value that is the same; -1 for one that was given."""
        if value not in self._known:
            array = self.mine.arrays[value]
            self._known[value] = None if array is None else self._values.equal(array)
        return self._known[value]

    def flows(self, value: int) -> bool:
        """Whether this comes from an input or a weight, unlike a mask made on the way."""
        if value not in self._flows:
            self._flows[value] = False  # a loop's value may come from itself
            made = self.mine.made[value]
            given = isinstance(self.mine.nodes[made.node], ast.FunctionDef)
            self._flows[value] = (
                given or self._loaded(made.node) or any(self.flows(one) for one in made.sources)
            )
        return self._flows[value]

    def _loaded(self, node: int) -> bool:
        return isinstance(self.mine.nodes[node], ast.Attribute | ast.Name)

    def _settled(self, value: int, *, parts: bool) -> bool:
        """Whether no mistake lies behind this: it is known, a piece of that, or of no input."""
        if self.known(value) or not self.flows(value):
            return True
        if not parts:
            return False
        array = self.mine.arrays[value]
        relation = None if array is None else self._values.relation(array)
        return relation is not None and relation.kind == "part"

    def departures(self, result: int, *, parts: bool = True) -> tuple[Departure, ...]:
        """Where the values on the way to ``result`` stop being known, in the order of the run.

        With ``parts``, a piece of a known value is taken for right.
        """
        if self.known(result):
            return ()
        found: dict[int, Departure] = {}
        todo, seen = [result], {result}
        while todo:
            value = todo.pop()
            array = self.mine.arrays[value]
            if array is None:
                continue
            made = self.mine.made[value]
            unknown = [one for one in made.sources if not self._settled(one, parts=parts)]
            if not unknown:
                relation = self._values.relation(array)
                found[value] = Departure(made.node, value, made.sources, relation)
            todo += [one for one in unknown if one not in seen]
            seen.update(unknown)
        return tuple(sorted(found.values(), key=lambda one: self.mine.made[one.value].order))

    def after(self, departures: Sequence[Departure]) -> frozenset[int]:
        """The values that were made at a departure, or from what was."""
        found = {one.value for one in departures}
        for value, made in sorted(self.mine.made.items(), key=lambda one: one[1].order):
            if found.intersection(made.sources):
                found.add(value)
        return frozenset(found)

    def result(self, array: npt.NDArray[Any]) -> int | None:
        """The value that a call gave back, by its numbers: the last that has them."""
        wanted = canonical(array)
        for value in reversed(range(len(self.mine.arrays))):
            one = self.mine.arrays[value]
            if (
                one is not None
                and one.shape == wanted.shape
                and np.array_equal(one, wanted, equal_nan=True)
            ):
                return value
        return None
