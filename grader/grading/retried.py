"""The one small change that would make a value right, worked out from the values of a run.

Where a program has a value that the reference lacks, the expression that made it is varied: another
axis, operator, order or function, another variable, other brackets. If one of these gives a value
which the reference has and the program lacks, that is the line to change, and what to write.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations

import numpy as np

from grader.grading.evaluate import (
    BINARY,
    JOINS,
    PLAIN,
    REDUCTIONS,
    SWAPS,
    Evaluator,
    literal,
)
from grader.grading.relations import Floats, same
from grader.grading.run import operation
from grader.grading.trace import Comparison

MOST = 1_500
"""Expressions that are worked out for one program."""
MOST_AXES = 4
MOST_TEXT = 70
MOST_NAMES = 12
"""Variables that are tried in place of one."""
FEWEST = 3
"""Different numbers that a value must hold: two are equal by chance."""

OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div)
TURNS = (ast.Sub, ast.Div, ast.MatMult)
TWINS = (("sin", "cos"), ("sqrt", "rsqrt"), ("exp", "log"))


@dataclass(frozen=True)
class Change:
    """Expression ``new`` in place of ``node`` gives ``value`` of the reference; None: several."""

    node: int
    new: ast.expr
    value: int | None

    renames: bool = False
    """Whether only a variable is another one: it may be the one that has a wrong name."""

    @property
    def text(self) -> str:
        """What to write; of a long call of a method only that."""
        text = ast.unparse(self.new)
        func = self.new.func if isinstance(self.new, ast.Call) else None
        if len(text) > MOST_TEXT and isinstance(func, ast.Attribute):
            return text.removeprefix(ast.unparse(func.value))
        return text


@dataclass(frozen=True)
class Retried:
    """Looks for the change in one comparison."""

    comparison: Comparison

    def found(self, results: Sequence[int], error: int | None = None) -> Change | None:
        """The first change that gives a value which is lacking, and that explains all ``results``.

        ``error`` is a node that raised one.
        """
        mine, last, left = self.comparison.mine, dict[int, list[int]](), MOST
        seen: set[int] = set()
        before = -1
        for order, place in enumerate(mine.places):
            fresh = place.node != before or place.part <= 0
            last[place.node] = [place.value] if fresh else [*last[place.node], place.value]
            before = place.node
            if place.part >= 0 or place.node in seen or self._is_right(place.value):
                continue
            seen.add(place.node)
            found, left = self._varied(place.node, Evaluator(mine, order, last), left)
            if found is not None and self._explains(found, results):
                return found
            if left <= 0:
                return None
        if error is None:
            return None
        return self._varied(error, Evaluator(mine, len(mine.places), last), left)[0]

    def _explains(self, change: Change, results: Sequence[int]) -> bool:
        """Whether all that is wrong about the results comes through the change."""
        mine, compared = self.comparison.mine, self.comparison
        inner = {mine.numbers[one] for one in ast.walk(mine.nodes[change.node])}
        wrong = {one.value for result in results for one in compared.departures(result)}
        wrong -= {value for value in wrong if mine.made[value].node in inner}
        todo, seen = list(results), set(results)
        while todo:
            value = todo.pop()
            if mine.made[value].node == change.node:
                continue
            if value in wrong:
                return False
            new = [v for v in mine.made[value].sources if v not in seen and not self._is_right(v)]
            todo += new
            seen.update(new)
        return True

    def _is_right(self, value: int) -> bool:
        return self.comparison.known(value)

    def _varied(self, number: int, known: Evaluator, left: int) -> tuple[Change | None, int]:
        """The variation of one expression that gives what is lacking; how many are left to try."""
        node = self.comparison.mine.nodes[number]
        for new in _variations(node, known, self._names(number, known)):
            left -= 1
            if left <= 0:
                break
            array = known.value(new)
            if isinstance(array, np.ndarray) and (found := self._helps(node, new, array, known)):
                renames = _size(new) == _size(node) and _shape(new) == _shape(node)
                return Change(number, new, found[0], renames), left
        return None, left

    def _helps(
        self, node: ast.AST, new: ast.expr, array: Floats, known: Evaluator
    ) -> tuple[int | None] | None:
        """What of the reference a variation gives, itself or in the expression that it is in.

        None if it gives nothing that is lacking, or makes what is around it into something else.
        """
        value = self._lacking(array)
        stack = value is None and self._is_stack(node, array, known)
        for outer in self._around(node, new):
            whole = known.value(outer)
            if not isinstance(whole, np.ndarray):
                continue
            around = self._lacking(whole)
            if around is None and not self.comparison.has(whole):
                return None
            value = around if value is None and not stack else value
        return (value,) if stack or value is not None else None

    def _around(self, node: ast.AST, new: ast.expr) -> Iterator[ast.expr]:
        """The expressions around a node, the nearest first, with ``new`` in its place."""
        outer = self.comparison.mine.parents.get(node)
        while isinstance(outer, ast.BinOp | ast.UnaryOp | ast.Call | ast.Attribute):
            node, new = outer, _replaced(outer, node, new)
            yield new
            outer = self.comparison.mine.parents.get(node)

    def _is_stack(self, node: ast.AST, array: Floats, known: Evaluator) -> bool:
        """Whether these are values of the reference side by side, and a step further."""
        given = known.given(node) if isinstance(node, ast.Call) else []
        before = known.value(given[0]) if given else None
        if array.ndim < MOST_AXES or not isinstance(before, np.ndarray):
            return False
        now = self.comparison.stacks(array)
        return bool(now) and now != self.comparison.stacks(before)

    def _lacking(self, array: Floats) -> int | None:
        """The value of the reference that these numbers are, if the program has it nowhere."""
        if array.size < FEWEST or not np.isfinite(array).any():
            return None
        plain = array.squeeze()
        for value, other in self._missing.items():
            if other.shape == plain.shape and same(plain, other):
                return value
        return None

    @cached_property
    def _missing(self) -> dict[int, Floats]:
        right, found = self.comparison.right, dict[int, Floats]()
        for value in right.made:
            array = right.arrays[value]
            if value in self.comparison.matched or array is None:
                continue
            if len(np.unique(array[np.isfinite(array)].round(6))) >= FEWEST:
                found[value] = array.squeeze()
        return found

    def _names(self, number: int, known: Evaluator) -> list[ast.Name]:
        """The variables of the same function that hold tensors by now."""
        mine = self.comparison.mine
        inside = mine.function(number)
        found: dict[str, ast.Name] = {}
        for other in known.last:
            node = mine.nodes[other]
            if isinstance(node, ast.Name) and mine.function(other) == inside:
                found[node.id] = node
        return list(found.values())[:MOST_NAMES]


def _variations(node: ast.AST, known: Evaluator, names: list[ast.Name]) -> Iterator[ast.expr]:
    """The expressions that differ from one in one thing, the likeliest first."""
    match node:
        case ast.BinOp():
            yield from _operations(node)
            yield from _operands(node, names)
        case ast.Call():
            yield from _calls(node, known)
            yield from _given(node, names)
        case ast.Subscript():
            yield from _indices(node, known)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield operand


def _size(node: ast.AST) -> int:
    return sum(1 for _ in ast.walk(node))


def _shape(node: ast.AST) -> list[str]:
    """The operations and numbers of an expression, without its variables."""
    kept = (one for one in ast.walk(node) if not isinstance(one, ast.Name | ast.expr_context))
    return [repr(one.value) if isinstance(one, ast.Constant) else operation(one) for one in kept]


def _replaced(outer: ast.expr, old: ast.AST, new: ast.expr) -> ast.expr:
    """A copy of an expression with one part replaced."""
    made = copy.copy(outer)
    for name, value in ast.iter_fields(outer):
        if value is old:
            setattr(made, name, new)
        elif isinstance(value, list):
            setattr(made, name, [new if one is old else one for one in value])
    return made


def _operations(node: ast.BinOp) -> Iterator[ast.expr]:
    left, right = node.left, node.right
    if isinstance(left, ast.Call) and operation(left) in PLAIN and len(left.args) == 1:
        yield ast.Call(left.func, [ast.BinOp(left.args[0], node.op, right)], [])
    if isinstance(node.op, TURNS):
        yield ast.BinOp(right, node.op, left)
    if isinstance(left, ast.BinOp):
        yield ast.BinOp(left.left, left.op, ast.BinOp(left.right, node.op, right))
    if isinstance(right, ast.BinOp):
        yield ast.BinOp(ast.BinOp(left, node.op, right.left), right.op, right.right)
    for kind in OPERATORS:
        if not isinstance(node.op, kind) and kind in BINARY:
            yield ast.BinOp(left, kind(), right)
    if not isinstance(node.op, ast.MatMult):
        yield ast.BinOp(left, ast.MatMult(), right)
    else:
        yield ast.BinOp(left, ast.Mult(), right)


def _operands(node: ast.BinOp, names: list[ast.Name]) -> Iterator[ast.expr]:
    for one in names:
        if ast.dump(one) not in (ast.dump(node.left), ast.dump(node.right)):
            yield ast.BinOp(one, node.op, node.right)
            yield ast.BinOp(node.left, node.op, one)


def _given(node: ast.Call, names: list[ast.Name]) -> Iterator[ast.expr]:
    """A call of a known function, given another variable."""
    if operation(node) not in (*PLAIN, *REDUCTIONS, "softmax", *SWAPS):
        return
    for one in names:
        method = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
        if node.args and isinstance(node.args[0], ast.Name) and node.args[0].id != one.id:
            yield ast.Call(node.func, [one, *node.args[1:]], node.keywords)
        elif method and isinstance(node.func, ast.Attribute):
            yield ast.Call(ast.Attribute(one, node.func.attr, ast.Load()), node.args, node.keywords)


def _calls(node: ast.Call, known: Evaluator) -> Iterator[ast.expr]:
    name, given = operation(node), known.given(node)
    array = known.value(given[0]) if given and name not in JOINS else None
    rank = array.ndim if isinstance(array, np.ndarray) else MOST_AXES
    for pair in TWINS:
        if name in pair:
            other = copy.copy(node.func)
            new = pair[1 - pair.index(name)]
            if isinstance(other, ast.Attribute):
                yield ast.Call(ast.Attribute(other.value, new, ast.Load()), node.args, [])
    if name in (*REDUCTIONS, *JOINS, "softmax"):
        for axis in range(-1, -rank - 1, -1):
            yield _with_axis(node, axis, known)
    if name in SWAPS and len(given) == 3:
        for i, j in combinations(range(-rank, 0), 2):
            yield _with_last(node, [ast.Constant(i), ast.Constant(j)])
        yield given[0]
    if name == "permute" and rank <= MOST_AXES:
        for order in permutations(range(rank)):
            numbers: list[ast.expr] = [ast.Constant(one) for one in order]
            yield _with_last(node, [ast.List(numbers, ast.Load())])


def _with_axis(node: ast.Call, axis: int, known: Evaluator) -> ast.Call:
    """The call along another axis."""
    words = [one for one in node.keywords if one.arg != "axis"]
    args = node.args
    if len(words) == len(node.keywords) and len(known.given(node)) > 1:
        args = args[:-1]
    value = ast.UnaryOp(ast.USub(), ast.Constant(-axis)) if axis < 0 else ast.Constant(axis)
    return ast.Call(node.func, args, [*words, ast.keyword("axis", value)])


def _with_last(node: ast.Call, last: list[ast.expr]) -> ast.Call:
    """The call with these as its last arguments."""
    return ast.Call(node.func, [*node.args[: len(node.args) - len(last)], *last], [])


def _indices(node: ast.Subscript, known: Evaluator) -> Iterator[ast.expr]:
    """Another number, or the same along the last axis."""
    array = known.value(node.value)
    if not isinstance(array, np.ndarray):
        return
    index = node.slice
    number = literal(index)
    if type(number) is int:
        last = ast.Tuple([ast.Constant(...), index], ast.Load())
        yield ast.Subscript(node.value, last, ast.Load())
        for other in range(min(array.shape[0], MOST_AXES)):
            if other != number:
                yield ast.Subscript(node.value, ast.Constant(other), ast.Load())
    parts = index.elts if isinstance(index, ast.Tuple) else []
    for at, one in enumerate(parts):
        for new in _bounds(one):
            elts = [*parts[:at], new, *parts[at + 1 :]]
            yield ast.Subscript(node.value, ast.Tuple(elts, ast.Load()), ast.Load())


def _bounds(node: ast.expr) -> Iterator[ast.expr]:
    """The number or the slice with another beginning or step."""
    if type(number := literal(node)) is int:
        for other in range(MOST_AXES):
            if other != number:
                yield ast.Constant(other)
    if isinstance(node, ast.Slice) and node.upper is None:
        for lower in (0, 1):
            for step in (node.step, ast.Constant(2)):
                yield ast.Slice(ast.Constant(lower), None, step)
