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
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from grader.protocol.probe import Trail

Floats = npt.NDArray[np.float64]

RTOL, ATOL = 2e-4, 1e-5
HIDDEN = -1e8
"""What is below it hides a score like minus infinity does."""

MOST_AXES = 5

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
        return tuple(None if one is None else _canonical(one.array) for one in self.trail.values)

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


def _canonical(array: npt.NDArray[Any]) -> Floats:
    exact = np.asarray(array, np.float64)
    return np.where(exact < HIDDEN, -np.inf, exact)


# ---- what a value is to the reference ---------------------------------------------------------


@dataclass(frozen=True)
class Relation:
    """What a value of the learner is to the value ``of`` of the reference.

    ``kind``: ``equal``; ``transposed`` with ``axes``; ``reshaped``; ``scaled`` by ``factor``;
    ``part``, the piece ``index`` of ``count`` along ``axis``.
    """

    kind: str
    of: int
    factor: float = 1.0
    axes: tuple[int, ...] = ()
    axis: int = 0
    index: int = 0
    count: int = 1


def same(mine: Floats, right: Floats) -> bool:
    """Whether two arrays of one shape hold the same numbers, up to rounding in float32."""
    if mine.shape != right.shape:
        return False
    finite = np.isfinite(right)
    if not np.array_equal(finite, np.isfinite(mine)):
        return False
    size = float(np.abs(right[finite]).max(initial=0.0))
    close = np.isclose(mine, right, rtol=RTOL, atol=ATOL * max(1.0, size), equal_nan=True)
    return bool(close.all())


class Reference:
    """The values of the reference, to be asked what one of the learner's is to them."""

    def __init__(self, run: Run, given: Sequence[npt.NDArray[Any]] = ()) -> None:
        self.run = run
        self._values = [(index, one) for index, one in enumerate(run.arrays) if one is not None]
        self._given = [_canonical(one) for one in given]

    def equal(self, mine: Floats) -> int | None:
        """The first value that is the same; -1 for one that was given, None for none."""
        for index, one in self._values:
            if same(mine, one):
                return index
        return -1 if any(same(mine, one) for one in self._given) else None

    def relation(self, mine: Floats) -> Relation | None:
        """The closest thing that ``mine`` is to a value of the reference."""
        found = self.equal(mine)
        if found is not None:
            return Relation("equal", found)
        if mine.size <= 1 or not np.isfinite(mine).any():
            return None
        for look in (_transposed, _scaled, _reshaped, _part):
            for index, one in self._values:
                if one.size > 1 and (relation := look(mine, one, index)) is not None:
                    return relation
        return None


def _transposed(mine: Floats, one: Floats, index: int) -> Relation | None:
    if mine.ndim != one.ndim or not 2 <= mine.ndim <= MOST_AXES:
        return None
    if sorted(mine.shape) != sorted(one.shape):
        return None
    for axes in list(permutations(range(mine.ndim)))[1:]:
        fits = tuple(one.shape[axis] for axis in axes) == mine.shape
        if fits and same(mine, one.transpose(axes)):
            return Relation("transposed", index, axes=axes)
    return None


def _scaled(mine: Floats, one: Floats, index: int) -> Relation | None:
    if mine.shape != one.shape:
        return None
    finite = np.isfinite(mine) & np.isfinite(one)
    at = np.argmax(np.where(finite, np.abs(one), 0.0))
    base = one.flat[at]
    if not finite.flat[at] or abs(base) < ATOL or not mine.flat[at]:
        return None
    factor = float(mine.flat[at] / base)
    if len(np.unique(np.round(one[finite], 6))) < 3:  # two numbers are soon a multiple of two
        return None
    return Relation("scaled", index, factor=factor) if same(mine, one * factor) else None


def _reshaped(mine: Floats, one: Floats, index: int) -> Relation | None:
    if mine.size != one.size or mine.shape == one.shape:
        return None
    return Relation("reshaped", index) if same(mine.reshape(-1), one.reshape(-1)) else None


def _part(mine: Floats, one: Floats, index: int) -> Relation | None:
    if mine.ndim != one.ndim:
        return None
    axes = [a for a in range(mine.ndim) if mine.shape[a] != one.shape[a]]
    if len(axes) != 1 or not mine.shape[axes[0]] or one.shape[axes[0]] % mine.shape[axes[0]]:
        return None
    count = one.shape[axes[0]] // mine.shape[axes[0]]
    for number, piece in enumerate(np.split(one, count, axes[0])):
        if same(mine, piece):
            return Relation("part", index, axis=axes[0], index=number, count=count)
    return None


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
    reference: Reference
    _known: dict[int, int | None] = field(default_factory=dict)
    _flows: dict[int, bool] = field(default_factory=dict)

    def known(self, value: int) -> bool:
        """Whether the reference has this value too, or it was given."""
        return self.match(value) is not None

    def match(self, value: int) -> int | None:
        """The reference's value that is the same; -1 for one that was given."""
        if value not in self._known:
            array = self.mine.arrays[value]
            self._known[value] = None if array is None else self.reference.equal(array)
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

    def _settled(self, value: int) -> bool:
        """Whether no mistake lies behind this: it is known, a piece of that, or of no input."""
        if self.known(value) or not self.flows(value):
            return True
        array = self.mine.arrays[value]
        relation = None if array is None else self.reference.relation(array)
        return relation is not None and relation.kind == "part"

    def departures(self, result: int) -> tuple[Departure, ...]:
        """Where the values on the way to ``result`` stop being known, in the order of the run."""
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
            unknown = [one for one in made.sources if not self._settled(one)]
            if not unknown:
                relation = self.reference.relation(array)
                found[value] = Departure(made.node, value, made.sources, relation)
            todo += [one for one in unknown if one not in seen]
            seen.update(unknown)
        return tuple(sorted(found.values(), key=lambda one: self.mine.made[one.value].order))

    def after(self, value: int, departures: Sequence[Departure]) -> bool:
        """Whether ``value`` was made at a departure, or from what was."""
        left, todo, seen = {one.value for one in departures}, [value], {value}
        while todo:
            one = todo.pop()
            if one in left:
                return True
            fresh = [s for s in self.mine.made[one].sources if s not in seen]
            todo += fresh
            seen.update(fresh)
        return False

    def result(self, array: npt.NDArray[Any]) -> int | None:
        """The value that a call gave back, by its numbers: the last that has them."""
        wanted = _canonical(array)
        for value in reversed(range(len(self.mine.arrays))):
            one = self.mine.arrays[value]
            if (
                one is not None
                and one.shape == wanted.shape
                and np.array_equal(one, wanted, equal_nan=True)
            ):
                return value
        return None
