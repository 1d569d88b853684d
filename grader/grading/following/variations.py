"""The expressions that differ from one in one thing, as learners' expressions often do.

Another axis, operator, order or function, another variable, other brackets or sizes.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from typing import TypeVar

import numpy as np

from grader.grading.following.evaluate import (
    JOINS,
    PLAIN,
    REDUCTIONS,
    SWAPS,
    Evaluator,
    literal,
)
from grader.grading.following.run import ASKED, operation, question

T = TypeVar("T")

Variable = ast.Name | ast.Attribute
"""A variable, or one of the values that one holds: ``point.x``."""

MOST_AXES = 4
"""Axes, and positions along one, that are tried."""

OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div)
TURNS = (ast.Sub, ast.Div, ast.MatMult, ast.Pow)
COMPARISONS: tuple[type[ast.cmpop], ...] = (
    ast.Lt,
    ast.LtE,
    ast.Gt,
    ast.GtE,
    ast.Eq,
    ast.NotEq,
)
OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
}
"""Comparisons the other way round, which say the same of equal numbers."""
TENSORS = ("equal", "not_equal", "greater", "greater_equal")
"""Functions that compare tensors: MAX has no others. NumPy has them all."""
TWINS = (
    *(("sin", "cos"), ("sqrt", "rsqrt"), ("exp", "log"), ("min", "max")),
    *(("log10", "log"), ("log2", "log"), ("isqrt", "sqrt")),
)
"""Functions that are taken for each other."""


def variations(node: ast.AST, known: Evaluator, names: list[Variable]) -> Iterator[ast.expr]:
    """The expressions that differ from one in one thing, the likeliest first."""
    match node:
        case ast.BinOp():
            yield from _only(node, known)
            yield from _operations(node)
            if isinstance(node.op, ast.Div) and _is_whole(known.value(node.left)):
                yield ast.BinOp(node.left, ast.FloorDiv(), node.right)
            yield from _operands(node, known, names)
            yield from _numbers_in(node, known)
        case ast.Call():
            yield from _asked(node)
            yield from _calls(node, known)
            yield from _given(node, known, names)
        case ast.Subscript():
            yield from _indices(node, known)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            first = OPPOSITE.get(type(op), ast.Lt)
            for kind in (first, *(one for one in COMPARISONS if one is not first)):
                if not isinstance(op, kind):
                    yield ast.Compare(left, [kind()], [right])
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield operand


def _asked(node: ast.Call) -> Iterator[ast.expr]:
    """The call of a function that compares, asking something else; the other way round last."""
    if (asked := question(node)) is None:
        return
    first = OPPOSITE.get(asked.op, ast.Lt)
    known = TENSORS
    for kind in (first, *(one for one in COMPARISONS if one is not first)):
        name = next((name for name in known if ASKED[name] is kind), "")
        if name and name != operation(node) and isinstance(node.func, ast.Attribute):
            yield ast.Call(ast.Attribute(node.func.value, name, ast.Load()), node.args, [])
    if asked.op in OPPOSITE:
        yield ast.Call(node.func, node.args[::-1], [])


def _is_whole(value: object) -> bool:
    """Whether this is an array of whole numbers."""
    return isinstance(value, np.ndarray) and value.ndim > 0 and bool((value == value // 1).all())


def _only(node: ast.BinOp, known: Evaluator) -> Iterator[ast.expr]:
    """The one tensor that several operations with plain numbers change, as it is."""
    inner = [one for one in ast.walk(node) if isinstance(one, ast.BinOp | ast.UnaryOp)]
    names = [one for one in ast.walk(node) if isinstance(one, ast.Name)]
    tensors = [one for one in names if isinstance(known.value(one), np.ndarray)]
    called = any(isinstance(one, ast.Call | ast.Subscript) for one in ast.walk(node))
    if len(inner) > 1 and len(tensors) == 1 and not called:
        yield from tensors


def _operations(node: ast.BinOp) -> Iterator[ast.expr]:
    left, right = node.left, node.right
    if isinstance(left, ast.Call) and operation(left) in PLAIN and len(left.args) == 1:
        yield ast.Call(left.func, [ast.BinOp(left.args[0], node.op, right)], [])
    if isinstance(left, ast.Call) and operation(left) in REDUCTIONS and len(left.args) == 1:
        inner = ast.BinOp(left.args[0], node.op, right)
        yield ast.Call(left.func, [inner], left.keywords)
    if isinstance(node.op, TURNS):
        yield ast.BinOp(right, node.op, left)
    if isinstance(left, ast.BinOp):
        yield ast.BinOp(left.left, left.op, ast.BinOp(left.right, node.op, right))
        if isinstance(under := left.right, ast.BinOp):  # 1 / a ** b / c
            last = ast.BinOp(under.left, under.op, ast.BinOp(under.right, node.op, right))
            yield ast.BinOp(left.left, left.op, last)
    if isinstance(right, ast.BinOp):
        yield ast.BinOp(ast.BinOp(left, node.op, right.left), right.op, right.right)
    for kind in OPERATORS:
        if not isinstance(node.op, kind):
            yield ast.BinOp(left, kind(), right)
    if not isinstance(node.op, ast.MatMult):
        yield ast.BinOp(left, ast.MatMult(), right)
    else:
        yield ast.BinOp(left, ast.Mult(), right)


def _operands(node: ast.BinOp, known: Evaluator, names: list[Variable]) -> Iterator[ast.expr]:
    """Another variable of the same kind, a tensor or a number; or the second one times a number.

    Of several numbers that are the same, none: which of them is meant would be a guess.
    """
    numbers = Counter(held for one in names if isinstance(held := known.value(one), int | float))
    for one in names:
        if isinstance(held := known.value(one), int | float) and numbers[held] > 1:
            continue
        for old, other in ((node.left, node.right), (node.right, node.left)):
            if not isinstance(old, ast.Name | ast.Attribute) or not isinstance(old, type(one)):
                continue
            if ast.unparse(old) == ast.unparse(one) or not _alike(old, one, known):
                continue
            yield (
                ast.BinOp(one, node.op, other)
                if old is node.left
                else ast.BinOp(other, node.op, one)
            )
    if isinstance(node.op, ast.Add | ast.Sub) and isinstance(node.right, ast.Name):
        yield ast.BinOp(node.left, node.op, squared(node.right))
        for one in names:
            held = known.value(one)
            if isinstance(held, int | float) and numbers[held] == 1:
                yield ast.BinOp(node.left, node.op, ast.BinOp(node.right, ast.Mult(), one))


def inner_operands(node: ast.AST, known: Evaluator, names: list[Variable]) -> Iterator[ast.expr]:
    """The same with another variable in an operand: ``y * c + x * s`` for ``y * c + y * s``.

    For where each of the operands is right for itself.
    """
    for part in (node.right, node.left) if isinstance(node, ast.BinOp) else ():
        for new in _operands(part, known, names) if isinstance(part, ast.BinOp) else ():
            if isinstance(node, ast.BinOp):
                sides = (new, node.right) if part is node.left else (node.left, new)
                yield ast.BinOp(sides[0], node.op, sides[1])


def squared(node: ast.expr) -> ast.expr:
    """The square of an expression."""
    return ast.BinOp(node, ast.Pow(), ast.Constant(2))


def _alike(one: ast.expr, other: ast.expr, known: Evaluator) -> bool:
    """Whether both are tensors, or both are numbers."""
    return isinstance(known.value(one), np.ndarray) == isinstance(known.value(other), np.ndarray)


def _given(node: ast.Call, known: Evaluator, names: list[Variable]) -> Iterator[ast.expr]:
    """A call of a known function, given another variable; of a method, on another tensor."""
    if operation(node) not in (*PLAIN, *REDUCTIONS, "softmax", *SWAPS):
        return
    if operation(node) in REDUCTIONS and node.args and literal(node.args[0]) is None:
        yield ast.Call(node.func, [squared(node.args[0]), *node.args[1:]], node.keywords)
    elif operation(node) in REDUCTIONS and isinstance(node.func, ast.Attribute):
        own = ast.Attribute(squared(node.func.value), node.func.attr, ast.Load())
        yield ast.Call(own, node.args, node.keywords)
    for one in (each for each in names if isinstance(each, ast.Name)):
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        method = isinstance(owner, ast.Name) and isinstance(known.value(owner), np.ndarray)
        if node.args and isinstance(node.args[0], ast.Name) and node.args[0].id != one.id:
            yield ast.Call(node.func, [one, *node.args[1:]], node.keywords)
        elif method and isinstance(node.func, ast.Attribute):
            yield ast.Call(ast.Attribute(one, node.func.attr, ast.Load()), node.args, node.keywords)


def _calls(node: ast.Call, known: Evaluator) -> Iterator[ast.expr]:
    name, given = operation(node), known.given(node)
    array = known.value(given[0]) if given and name not in JOINS else None
    rank = array.ndim if isinstance(array, np.ndarray) else MOST_AXES
    yield from _functions(node, name)
    if name in (*REDUCTIONS, *JOINS, "softmax", "repeat"):
        first = [0] if name in JOINS else []  # before the rows that are joined
        for axis in (*first, *range(-1, -rank - 1, -1)):
            yield _with_axis(node, axis, known)
    if name in JOINS and given and isinstance(given[0], ast.List):
        for parts in _swapped(given[0].elts):
            yield ast.Call(node.func, [ast.List(parts, ast.Load()), *given[1:]], node.keywords)
    if name in ("unsqueeze", "cumsum"):
        for axis in range(min(rank + 1, MOST_AXES)):
            yield _with_axis(node, axis, known)
    yield from _ordered(node, name, given, rank)


def _numbers_in(node: ast.expr, known: Evaluator) -> Iterator[ast.expr]:
    """The same operation, with another function for a plain number in it."""
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            yield from (ast.BinOp(one, op, right) for one in _numbers_in(left, known))
            yield from (ast.BinOp(left, op, one) for one in _numbers_in(right, known))
        case ast.UnaryOp(op=sign, operand=operand):
            yield from (ast.UnaryOp(sign, one) for one in _numbers_in(operand, known))
        case ast.Call(func=ast.Attribute(value=home, attr=name), args=[given]):
            others = [pair[1 - pair.index(name)] for pair in TWINS if name in pair]
            for new in others if not isinstance(known.value(given), np.ndarray) else ():
                yield ast.Call(ast.Attribute(home, new, ast.Load()), [given], [])


def _functions(node: ast.Call, name: str) -> Iterator[ast.expr]:
    """The call of a function that is easily taken for this one."""
    others = [pair[1 - pair.index(name)] for pair in TWINS if name in pair]
    others += ["concat"] if name == "stack" else ["stack"] if name in JOINS else []
    func = node.func
    if name in PLAIN and len(node.args) == 1:
        yield ast.Call(func, [ast.UnaryOp(ast.USub(), node.args[0])], node.keywords)
    if name in ("power", "outer", "sub", "div") and len(node.args) == 2:
        yield ast.Call(func, node.args[::-1], node.keywords)
    if name == "linspace" and len(node.args) == 3 and not node.keywords:
        yield ast.Call(func, node.args, [ast.keyword("endpoint", ast.Constant(False))])
    if isinstance(func, ast.Attribute) and name == "tile":
        last = ast.keyword("axis", ast.UnaryOp(ast.USub(), ast.Constant(1)))
        yield ast.Call(ast.Attribute(func.value, "repeat", ast.Load()), node.args, [last])
    if isinstance(func, ast.Attribute):
        for new in others:
            other = ast.Attribute(func.value, new, ast.Load())
            yield ast.Call(other, node.args, node.keywords)


def _ordered(node: ast.Call, name: str, given: list[ast.expr], rank: int) -> Iterator[ast.expr]:
    """The call with its sizes, or its axes, in another order."""
    if name == "reshape" and len(given) == 2 and isinstance(given[1], ast.List):
        for sizes in _sizes(given[1].elts, rank):
            yield _with_last(node, [ast.List(sizes, ast.Load())])
    if name == "where" and len(given) == 3:
        yield ast.Call(node.func, [given[0], given[2], given[1]], [])
    if name in SWAPS and len(given) == 3:
        for i, j in combinations(range(-rank, 0), 2):
            yield _with_last(node, [ast.Constant(i), ast.Constant(j)])
        yield given[0]
    if name == "permute":
        for order in _orders(given, rank):
            numbers: list[ast.expr] = [ast.Constant(one) for one in order]
            yield _with_last(node, [ast.List(numbers, ast.Load())])


def _swapped(parts: Sequence[T]) -> Iterator[list[T]]:
    """A list with two of its entries swapped."""
    for i, j in combinations(range(len(parts)), 2):
        other = list(parts)
        other[i], other[j] = parts[j], parts[i]
        yield other


def _orders(given: list[ast.expr], rank: int) -> Iterator[tuple[int, ...]]:
    """All orders of a few axes; of more, those that swap two of the order that is ``given``."""
    if rank <= MOST_AXES:
        yield from permutations(range(rank))
        return
    order = literal(given[1]) if len(given) > 1 else None
    if isinstance(order, list | tuple) and all(isinstance(one, int) for one in order):
        yield from map(tuple, _swapped(order))


def _sizes(sizes: list[ast.expr], rank: int) -> Iterator[list[ast.expr]]:
    """The sizes of a reshape with two of them swapped, or with another size of the same tensor."""
    yield from _swapped(sizes)
    for at, one in enumerate(sizes):
        match one:
            case ast.Subscript(value=ast.Attribute(attr="shape") as shape, slice=index):
                for number in range(rank):
                    if literal(index) != number:
                        new = ast.Subscript(shape, ast.Constant(number), ast.Load())
                        yield [*sizes[:at], new, *sizes[at + 1 :]]


def _with_axis(node: ast.Call, axis: int, known: Evaluator) -> ast.Call:
    """The call along another axis, which is given as it was: by its place, or by its name."""
    value: ast.expr = (
        ast.UnaryOp(ast.USub(), ast.Constant(-axis)) if axis < 0 else ast.Constant(axis)
    )
    new, args = ast.keyword("axis", value), node.args
    words = [new if one.arg == "axis" else one for one in node.keywords]
    if new in words:
        return ast.Call(node.func, args, words)
    if len(known.given(node)) > 1:
        placed = type(literal(args[-1])) is int and operation(node) != "repeat"
        args = [*args[:-1], value] if placed else args[:-1]
        words += [] if placed else [new]
    else:
        words.append(new)
    return ast.Call(node.func, args, words)


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
        for new in _numbers(number, array.shape[0]):
            yield ast.Subscript(node.value, new, ast.Load())
    parts = index.elts if isinstance(index, ast.Tuple) else []
    plain = not any(isinstance(one, ast.Constant) and one.value in (None, ...) for one in parts)
    for at, one in enumerate(parts):
        for new in _bounds(one, array.shape[at] if plain and at < array.ndim else MOST_AXES):
            elts = [*parts[:at], new, *parts[at + 1 :]]
            yield ast.Subscript(node.value, ast.Tuple(elts, ast.Load()), ast.Load())


def _numbers(number: int, size: int) -> Iterator[ast.expr]:
    """The other numbers of entries, of which there are ``size``; that of the last is -1."""
    for other in (-1, *range(min(size - 1, MOST_AXES))):
        if other % size != number % size:
            yield ast.UnaryOp(ast.USub(), ast.Constant(1)) if other < 0 else ast.Constant(other)


def _bounds(node: ast.expr, size: int) -> Iterator[ast.expr]:
    """The number or the slice with another beginning or step."""
    if type(number := literal(node)) is int:
        yield from _numbers(number, size)
    elif not isinstance(node, ast.Slice | ast.Constant):
        yield ast.Slice(node, None, None)
        yield ast.Slice(None, node, None)
    if isinstance(node, ast.Slice) and node.lower is None and node.upper is not None:
        yield ast.Slice(node.upper, None, node.step)
        yield ast.Slice(ast.UnaryOp(ast.USub(), node.upper), None, node.step)
    if isinstance(node, ast.Slice) and node.upper is None:
        for lower in (0, 1):
            for step in (node.step, ast.Constant(2)):
                yield ast.Slice(ast.Constant(lower), None, step)
