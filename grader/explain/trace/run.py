"""A program's run, ready to be asked: what each expression gave, and from what it was made."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from grader.explain.trace.closeness import Floats, canonical, same
from grader.explain.trace.program import Program, head_end, parts_of
from grader.explain.trace.unannotated import unannotated
from grader.protocol.probe import MOST_TURNS, SeenError, Trail
from grader.source.ast_cache import of_kind, parsed, walked
from grader.source.def_use import reads

SEEN = (ast.expr, ast.Assign, ast.AugAssign, ast.FunctionDef)
"""What a trail names: expressions, what changes a value in place, functions for their arguments."""
GIVES = (ast.Attribute, ast.BinOp, ast.Call, ast.Compare, ast.Name, ast.Subscript, ast.UnaryOp)
"""Expressions that give a value of their own."""

ASKED: dict[str, type[ast.cmpop]] = {
    "equal": ast.Eq,
    "not_equal": ast.NotEq,
    "less": ast.Lt,
    "less_equal": ast.LtE,
    "greater": ast.Gt,
    "greater_equal": ast.GtE,
}
"""Functions that compare as an operator does."""


class Question(NamedTuple):
    """A comparison of two: ``left > right``, or ``greater(left, right)``."""

    left: ast.expr
    op: type[ast.cmpop]
    right: ast.expr


def question(node: ast.AST) -> Question | None:
    """What an expression compares, whether an operator or a function does it; None if nothing."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return Question(left, type(op), right)
        case ast.Call(args=[left, right], keywords=[]) if operation(node) in ASKED:
            return Question(left, ASKED[operation(node)], right)
    return None


class Place(NamedTuple):
    """An expression that had a value: its node, and the index in a tuple or list (-1: itself)."""

    node: int
    part: int
    value: int


class Scalar(NamedTuple):
    """A plain number that an expression had, before entry ``order`` of the run.

    ``part`` is its index in a tuple or list (-1: itself); ``whole`` says that its type is.
    """

    part: int
    value: float
    whole: bool
    order: int


@dataclass(frozen=True)
class Made:
    """How a value came to be: by which node, from which other values, as which entry of the run."""

    node: int
    sources: tuple[int, ...]
    order: int


@dataclass(frozen=True)
class Run(Program):
    """A program and what its expressions gave, ready to be asked."""

    trail: Trail

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree, without the annotations of assignments."""
        return self._parsed[0]

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """The nodes of the syntax tree, by number; an annotation's are in no statement."""
        return self._parsed[1]

    @cached_property
    def _parsed(self) -> tuple[ast.Module, tuple[ast.AST, ...]]:
        return _plain(self.source)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """What was seen, in order."""
        return tuple(Place(*one) for one in self.trail.places.tolist())

    @property
    def fits(self) -> bool:
        """Whether each entry of the trail names such a node of this program.

        The rest of a trail is checked where it arrives (:mod:`grader.protocol.message`).
        """
        named = {*self.trail.places[:, 0].tolist(), *self.trail.scalars[:, 0].tolist()}
        most = len(self.nodes)
        return all(one < most and isinstance(self.nodes[int(one)], SEEN) for one in named)

    @cached_property
    def arrays(self) -> tuple[Floats | None, ...]:
        """The values as float64; what hides is minus infinity. None where it is unknown."""
        return tuple(None if one is None else canonical(one.array) for one in self.trail.values)

    @cached_property
    def made(self) -> Mapping[int, Made]:
        """How each value was made: by the first expression that had it.

        Of a comprehension, every turn since that expression was worked out before.
        """
        found: dict[int, Made] = {}
        latest: dict[int, list[int]] = {}
        turns: dict[int, list[int]] = {number: [] for number in self._turning}
        fresh: dict[int, int] = {}
        inside: dict[int, tuple[int, ...]] = {}
        for order, place in enumerate(self.places):
            begins = fresh.get(place.node) != order - 1 or place.part <= 0
            if begins:
                latest[place.node] = []
            latest[place.node].append(place.value)
            fresh[place.node] = order
            if place.node not in inside:
                inside[place.node] = tuple(self.inner(place.node))
            inner = inside[place.node]
            if place.value not in found:
                given = (turns.get(one) or latest.get(one, []) for one in inner)
                sources = dict.fromkeys(value for some in given for value in some)
                found[place.value] = Made(place.node, tuple(sources), order)
            if place.node in turns:
                turns[place.node].append(place.value)
            for one in inner if begins else ():
                if one in turns:
                    turns[one] = []
        return found

    @cached_property
    def _turning(self) -> frozenset[int]:
        """The nodes inside of comprehensions."""
        kinds = (ast.ListComp, ast.GeneratorExp, ast.DictComp)
        every = (one for one in self.nodes if isinstance(one, kinds))
        return frozenset(self.numbers[inner] for one in every for inner in ast.walk(one))

    @cached_property
    def scalars(self) -> Mapping[int, tuple[Scalar, ...]]:
        """The plain numbers that each node had, in order."""
        found: dict[int, list[Scalar]] = {}
        for node, part, value, whole, order in self.trail.scalars.tolist():
            found.setdefault(int(node), []).append(
                Scalar(int(part), value, bool(whole), int(order))
            )
        return {node: tuple(some) for node, some in found.items()}

    def held(self, number: int, order: int | None = None) -> tuple[float, ...]:
        """The plain numbers that a node had last, up to an entry of the run."""
        found: list[float] = []
        for scalar in self.scalars.get(number, ()):
            if order is None or scalar.order <= order:
                found = [*found, scalar.value] if scalar.part > 0 else [scalar.value]
        return tuple(found)

    def holds_several(self, number: int) -> bool:
        """Whether a node had a list or tuple of plain numbers."""
        return any(one.part >= 0 for one in self.scalars.get(number, ()))

    def values(self, number: int) -> tuple[int, ...]:
        """The values that a node had."""
        return tuple(place.value for place in self.places if place.node == number)

    def outran(self, number: int) -> bool:
        """Whether a node may have had more values than are kept: its last one is of no use then."""
        parts = [place.part for place in self.places if place.node == number]
        return max(map(parts.count, {*parts}), default=0) >= MOST_TURNS

    def returned(self, value: float) -> int | None:
        """The last node that a function returned as a whole, and that had this plain number."""
        found = [
            (scalars[-1].order, node)
            for node, scalars in self.scalars.items()
            if any(one.value == value for one in scalars)
            and self.is_whole(node)
            and isinstance(self.statement(node), ast.Return)
        ]
        return max(found)[1] if found else None

    def gave(self, number: int) -> bool:
        """Whether a node ever gave a tensor or an array."""
        return number in self._seen_nodes

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
            if self.numbers[one] in self._seen_nodes:
                yield self.numbers[one]
            elif isinstance(one, ast.keyword) and one.arg is None:
                stack += self._put_into(one.value)[::-1]
            elif (
                not isinstance(one, GIVES)
                or self.is_called(one)
                or _is_stored(one)
                or operation(one) == "tolist"  # the numbers of an array, as plain ones
            ):
                stack += list(ast.iter_child_nodes(one))[::-1]

    def _put_into(self, node: ast.expr) -> list[ast.expr]:
        """What the function around a dict puts into it, before ``**`` hands it all over."""
        inside = self.around(node)
        found: list[ast.expr] = []
        for one in ast.walk(inside) if inside is not None and isinstance(node, ast.Name) else ():
            match one:
                case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))], value=value):
                    given = [value]
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict(values=given)):
                    pass
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.DictComp(value=value)):
                    given = [value]
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(keywords=words)):
                    given = [word.value for word in words]
                case _:
                    continue
            found += given if isinstance(node, ast.Name) and name == node.id else []
        return found

    def feeding(self, number: int, order: int | None = None) -> tuple[int, ...]:
        """The last values, before entry ``order``, of the arrays that a plain number is made of.

        Of a comparison, what it compares: True and False are equal by chance.
        """
        last = {place.node: place.value for place in self.places[:order]}
        found: list[int] = []
        stack: list[ast.AST] = [self.nodes[number]]
        while stack:
            one = stack.pop()
            if self.numbers[one] in last and question(one) is None:
                found.append(last[self.numbers[one]])
            else:
                stack += list(ast.iter_child_nodes(one))[::-1]
        return tuple(dict.fromkeys(found))

    def is_called(self, node: ast.AST) -> bool:
        """Whether a node is the function of a call."""
        outer = self.parents.get(node)
        return isinstance(outer, ast.Call) and outer.func is node

    @cached_property
    def _seen_nodes(self) -> frozenset[int]:
        return frozenset(place.node for place in self.places)

    def last(self, array: npt.NDArray[Any]) -> int | None:
        """The last value with exactly these numbers: what a call gave back."""
        wanted = canonical(array)
        for value in reversed(range(len(self.arrays))):
            one = self.arrays[value]
            alike = one is not None and one.shape == wanted.shape
            if alike and one is not None and np.array_equal(one, wanted, equal_nan=True):
                return value
        return None

    def holds(self, array: npt.NDArray[Any]) -> int | None:
        """The last value that is ``array`` up to rounding."""
        wanted = canonical(array)
        found = [v for v, one in enumerate(self.arrays) if one is not None and same(one, wanted)]
        return found[-1] if found else None

    def written(self, line: int, code: str) -> int | None:
        """The expression of this text in the statement at ``line``."""
        wanted = "".join(code.split())
        for number, node in enumerate(self.nodes):
            here = isinstance(node, ast.expr) and node.lineno <= line <= (node.end_lineno or 0)
            if here and wanted and "".join(self.of(node).split()) == wanted:
                return number
        return None

    def raising(self, error: SeenError) -> int | None:
        """What raised an error: an expression, or the statement of its line."""
        line = error.line or 0
        found = self.written(line, error.calls[-1].code if error.calls else "")
        if found is not None:
            return found
        every = (one for one in self.statements if one.lineno <= line <= head_end(one))
        last = max(every, key=lambda one: one.lineno, default=None)
        return None if last is None else self.numbers[last]

    def ran(self, statement: ast.stmt) -> bool:
        """Whether something in a statement was evaluated, as far as it left a number."""
        inner = (self.numbers[one] for one in ast.walk(statement) if one in self.numbers)
        return any(one in self._seen_nodes or one in self.scalars for one in inner)

    def ends(self, number: int) -> bool:
        """Whether a node is the last statement of its function."""
        inside = self.function(number)
        node = self.nodes[inside] if inside is not None else None
        return isinstance(node, ast.FunctionDef) and node.body[-1] is self.statement(number)

    def outer(self, number: int) -> Iterator[int]:
        """The expressions around a node, the nearest first."""
        node = self.parents.get(self.nodes[number])
        while isinstance(node, ast.expr | ast.keyword):
            if isinstance(node, GIVES):
                yield self.numbers[node]
            node = self.parents.get(node)

    def latest(self, number: int) -> tuple[int, ...]:
        """The last values of what flows into a node."""
        last = {place.node: place.value for place in self.places}
        return tuple(dict.fromkeys(last[one] for one in self.inner(number) if one in last))

    def scope(self, number: int) -> frozenset[str]:
        """The names of the functions and classes that a node is in."""
        found, node = set(), self.parents.get(self.nodes[number])
        while node is not None:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.add(node.name)
            node = self.parents.get(node)
        return frozenset(found)

    def given(self, function: int) -> frozenset[int]:
        """Every value that was ever an argument of ``function``."""
        return frozenset(one.value for one in self.places if one.node == function)

    def bindings(self, value: int | None) -> Sequence[tuple[ast.stmt, int]]:
        """The statements whose whole result ``value`` is, and which part of it, in order.

        A comprehension that is taken apart gives a part in each turn.
        """
        return self._bindings.get(value, []) if value is not None else []

    @cached_property
    def _bindings(self) -> Mapping[int, Sequence[tuple[ast.stmt, int]]]:
        """The same for every value."""
        turns: Counter[int] = Counter()
        found: dict[int, list[tuple[ast.stmt, int]]] = {}
        for place in self.places:
            turns[place.node] += 1
            statement, node = self.statement(place.node), self.nodes[place.node]
            if statement is None:
                continue
            given = getattr(statement, "value", None)
            part = None
            if self.is_whole(place.node):
                part = place.part
            elif isinstance(given, ast.Tuple) and node in given.elts:
                part = given.elts.index(node)
            elif (parts := parts_of(statement)) and node is _turning(given):
                part = (turns[place.node] - 1) % parts
            if part is not None:
                found.setdefault(place.value, []).append((statement, part))
        return found

    def loads(self, number: int, name: str) -> bool:
        """Whether the function around a node reads the variable ``name`` below its statement.

        In a loop, or from a function inside, what is above may come later.
        """
        inside, statement = self.function(number), self.statement(number)
        function = self.nodes[inside] if inside is not None else self.tree
        loop = self.loop(number)
        again = loop is not None and self.around(loop) is self.around(self.nodes[number])
        return any(
            one.id == name
            and (
                again
                or one.lineno > (getattr(statement, "end_lineno", None) or 0)
                or self.function(self.numbers[one]) != inside
            )
            for one in reads(function)
        )

    def turns_between(self, line: int, number: int) -> bool:
        """Whether a node is inside of a loop that begins after a line."""
        loop = self.loop(number)
        return loop is not None and loop.lineno > line

    def loop(self, number: int) -> ast.For | ast.While | None:
        """The innermost loop around a node."""
        outer = self.parents.get(self.nodes[number])
        while outer is not None and not isinstance(outer, ast.For | ast.While):
            outer = self.parents.get(outer)
        return outer


@lru_cache(maxsize=8)
def _plain(source: str) -> tuple[ast.Module, tuple[ast.AST, ...]]:
    """The tree of a program, and its nodes by number, of which each trial asks."""
    tree = parsed(source)
    if not of_kind(tree, ast.AnnAssign):
        return tree, walked(tree)
    tree = ast.parse(source)  # one that is changed
    return tree, unannotated(tree)


def _turning(node: object) -> ast.AST | None:
    """What a comprehension gives in each turn."""
    return node.elt if isinstance(node, ast.GeneratorExp | ast.ListComp) else None


def _is_stored(node: ast.AST) -> bool:
    """Whether a statement changes this: what it was before flows into what it is after."""
    return isinstance(getattr(node, "ctx", None), ast.Store)


def operation(node: ast.AST) -> str:
    """A word for what an expression does, to tell like from unlike."""
    match node:
        case ast.BinOp() | ast.UnaryOp() | ast.AugAssign():
            return type(node.op).__name__
        case ast.Compare():
            return type(node.ops[0]).__name__
        case ast.Call(func=ast.Name(id="range")):
            return "range()"  # Python's, which makes no tensor
        case ast.Call(func=ast.Attribute(attr=name)) | ast.Call(func=ast.Name(id=name)):
            return name
    return type(node).__name__
