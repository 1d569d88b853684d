"""What an expression would give, worked out from values that were recorded: nothing is run.

Only common operations on tensors are known; of any other expression the value is unknown, None.

Longer than 300 lines, because each of these operations is worked out in its own way.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.grading.following.relations import Floats
from grader.grading.following.run import Question, Run, operation, question

BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.MatMult: operator.matmul,
    ast.Pow: operator.pow,
}

COMPARES: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}

PLAIN: dict[str, Callable[[Any], Any]] = {
    "sin": np.sin,
    "cos": np.cos,
    "exp": np.exp,
    "log": np.log,
    "log10": np.log10,
    "log2": np.log2,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "isqrt": lambda x: np.floor(np.sqrt(x)),
    "rsqrt": lambda x: 1.0 / np.sqrt(x),
}

REDUCTIONS: dict[str, Callable[..., Any]] = {
    "sum": np.sum,
    "mean": np.mean,
    "max": np.max,
    "min": np.min,
}
JOINS: dict[str, Callable[..., Any]] = {
    "concat": np.concatenate,
    "concatenate": np.concatenate,
    "stack": np.stack,
}
SWAPS = ("transpose", "swapaxes")
PASSES = ("Tensor", "array", "asarray", "astype", "cast", "constant")
"""Calls that give the numbers which they are given."""
MOVES = ("cumsum", "gather", "repeat", "squeeze", "tile", "unsqueeze")
PAIRS: dict[str, Callable[[Any, Any], Any]] = {
    "outer": np.outer,
    "power": np.power,
    "add": np.add,
    "mul": np.multiply,
    "sub": np.subtract,
    "div": np.divide,
    "matmul": np.matmul,
}

COUNTS: dict[str, Callable[[Any], Any]] = {
    "argmax": np.argmax,
    "argmin": np.argmin,
    "count_nonzero": np.count_nonzero,
    "sum": np.sum,
}
"""Functions that make one number of a list of them."""

EITHER: dict[str, Callable[[Any, Any], Any]] = {"max": np.maximum, "min": np.minimum}
"""Functions of one tensor, or of two number by number."""

LARGEST = 200_000
"""Numbers of a result. What is larger is not worked out."""


@dataclass(frozen=True)
class Evaluator:
    """Works out expressions in a run, as of entry ``order``. ``last`` has each node's values.

    A node's values are several if it gave a tuple or a list.
    """

    run: Run
    order: int
    last: Mapping[int, Sequence[int]]

    def value(self, node: ast.AST) -> Any:
        """The value of an expression that may be new, made of recorded ones. None if unknown."""
        try:
            return self._value(node)
        except (ArithmeticError, IndexError, TypeError, ValueError):
            return None

    def recorded(self, node: ast.AST) -> Any:
        """What an expression of the program gave."""
        number = self.run.numbers.get(node)
        if number is None:
            return None
        values = self.last.get(number, ())
        if len(values) == 1:
            return self.run.arrays[values[0]]
        held = self.run.held(number, self.order) if not values else ()
        return held[0] if len(held) == 1 else None

    def _value(self, node: ast.AST) -> Any:
        if (known := self.recorded(node)) is not None:
            return known
        match node:
            case ast.Constant(value=int() | float() as number):
                return float(number)
            case ast.Attribute(value=ast.Name(id="np" | "numpy"), attr="inf"):
                return np.inf
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return _negative(self._value(operand))
            case ast.Compare() | ast.Call() if (asked := question(node)) is not None:
                return self._asked(asked)
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary(op, self._value(left), self._value(right))
            case ast.Call():
                return self._call(node)
            case ast.Subscript(value=ast.Attribute(value=value, attr="shape"), slice=index):
                array, at = self._value(value), self._index(index)
                sized = isinstance(array, np.ndarray) and isinstance(at, int)
                return float(array.shape[at]) if sized else None
            case ast.Subscript(value=value, slice=index):
                array, at = self._value(value), self._index(index)
                return array[at] if isinstance(array, np.ndarray) and at is not None else None
        return None

    def _asked(self, asked: Question) -> Any:
        """1 where what is asked is so, and 0 elsewhere."""
        compare, one, other = COMPARES.get(asked.op), *map(self._value, (asked.left, asked.right))
        if compare is None or not _fit(one, other):
            return None
        return compare(one, other) * 1.0

    def _binary(self, op: ast.operator, left: Any, right: Any) -> Any:
        known = BINARY.get(type(op))
        fit = _multiply if isinstance(op, ast.MatMult) else _fit
        return known(left, right) if known is not None and fit(left, right) else None

    def _call(self, node: ast.Call) -> Any:
        name, given = operation(node), self.given(node)
        if name in JOINS and given:
            return self._joined(name, node, given[0])
        if name == "where" and len(given) == 3:
            parts = [self._value(one) for one in given]
            known = _fit(*parts) and isinstance(parts[0], np.ndarray)
            return np.where(*parts) if known else None
        array = self._value(given[0]) if given else None
        if name == "linspace" and len(given) == 3:
            return self._spaced(node, array, *map(self._value, given[1:]))
        if name == "int" and isinstance(array, float) and len(given) == 1:
            return float(int(array))
        if name in EITHER and len(given) == len(node.args) == 2:  # two tensors, not an axis
            other = self._value(given[1])
            return EITHER[name](array, other) if _fit(array, other) else None
        if name in PAIRS and len(given) == 2:
            other = self._value(given[1])
            return PAIRS[name](array, other) if FITS.get(name, _fit)(array, other) else None
        if name in PLAIN and isinstance(array, float) and len(given) == 1:
            return float(PLAIN[name](array))
        if not isinstance(array, np.ndarray):
            return None
        return self._of_array(name, node, array, given)

    def _of_array(self, name: str, node: ast.Call, array: Floats, given: list[ast.expr]) -> Any:
        """What a call gives that is given one array."""
        if name in PLAIN and len(given) == 1:
            return PLAIN[name](array)
        if name in PASSES:
            return array
        if name in MOVES:
            return self._moved(name, node, array, given[1:])
        axis = self.axis(node)
        if name in REDUCTIONS and axis is not None:
            return REDUCTIONS[name](array, axis=axis, keepdims=True)
        if name in COUNTS and array.ndim == 1 and len(given) == 1 and not node.keywords:
            return float(COUNTS[name](array))
        if name == "softmax":
            return _softmax(array, -1 if axis is None else axis)
        numbers = [literal(one) for one in given[1:]]
        if name in SWAPS and len(numbers) == 2 and all(type(one) is int for one in numbers):
            return np.swapaxes(array, numbers[0], numbers[1])
        if name == "reshape" and len(given) > 1:
            several = len(given) > 2
            sizes = self._sizes(ast.List(given[1:], ast.Load()) if several else given[1])
            return None if sizes is None else array.reshape(sizes)
        if name == "permute" and len(numbers) == 1 and isinstance(numbers[0], list):
            return np.transpose(array, numbers[0])
        return None

    def _spaced(self, node: ast.Call, first: Any, last: Any, count: Any) -> Any:
        """Numbers at equal distances, with the last or without it."""
        words = {one.arg: literal(one.value) for one in node.keywords}
        plain = all(isinstance(one, int | float) for one in (first, last, count))
        if not plain or words.keys() - {"endpoint"} or not 0 < count <= LARGEST:
            return None
        return np.linspace(first, last, int(count), endpoint=bool(words.get("endpoint", True)))

    def _sizes(self, node: ast.expr) -> list[int] | None:
        """The sizes that a shape has, as it is written for a reshape."""
        match node:
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                sizes = [self._bound(one) for one in parts]
                return (
                    [int(one or 0) for one in sizes]
                    if all(type(one) is int for one in sizes)
                    else None
                )
            case ast.Attribute(value=value, attr="shape"):
                array = self._value(value)
                return list(array.shape) if isinstance(array, np.ndarray) else None
            case ast.Subscript(
                value=ast.Attribute(attr="shape") as shape, slice=ast.Slice() as cut
            ):
                whole, at = self._sizes(shape), self._index(cut)
                return None if whole is None or at is None else whole[at]
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                one, other = self._sizes(left), self._sizes(right)
                return None if one is None or other is None else one + other
        return None

    def _moved(self, name: str, node: ast.Call, array: Floats, rest: list[ast.expr]) -> Any:
        """What a call gives that only puts numbers elsewhere, or repeats or picks them."""
        axis = self.axis(node)
        if name == "unsqueeze":
            return None if axis is None else np.expand_dims(array, axis)
        if name == "cumsum":
            return None if axis is None else np.cumsum(array, axis)
        if name == "squeeze":
            return None if axis is None else np.squeeze(array, axis)
        first = self._value(rest[0]) if rest else None
        words = {one.arg: literal(one.value) for one in node.keywords}
        along = words.get("axis", literal(rest[1]) if len(rest) > 1 else None)
        if name == "gather":
            if not isinstance(first, np.ndarray) or type(along) is not int:
                return None
            large = array.size // max(1, array.shape[along]) * first.size > LARGEST
            return None if large else np.take(array, first.astype(int), axis=along)
        count = self._bound(rest[0]) if rest else None
        if type(count) is not int or array.size * count > LARGEST:
            return None
        if name == "repeat":
            return np.repeat(array, count, axis=along) if type(along) is int else None
        return np.tile(array, count)

    def _joined(self, name: str, node: ast.Call, parts: ast.expr) -> Any:
        axis, number = self.axis(node), self.run.numbers.get(parts)
        if isinstance(parts, ast.List | ast.Tuple):
            arrays = [self._value(one) for one in parts.elts]
        else:
            values = self.last.get(number, ()) if number is not None else ()
            arrays = [self.run.arrays[one] for one in values]
        if axis is None and len(node.args) == 1 and not node.keywords:
            axis = 0
        if axis is None or not arrays or any(one is None for one in arrays):
            return None
        return JOINS[name](arrays, axis=axis)

    def _index(self, node: ast.expr) -> Any:
        """What a subscript selects by: whole numbers, slices of them, and ``...``."""
        if isinstance(node, ast.Tuple):
            new = [isinstance(one, ast.Constant) and one.value is None for one in node.elts]
            parts = [self._index(one) for one in node.elts]
            unknown = any(p is None and not n for p, n in zip(parts, new, strict=True))
            return None if unknown else tuple(parts)
        if isinstance(node, ast.Slice):
            ends = [self._bound(one) for one in (node.lower, node.upper, node.step)]
            return None if False in ends else slice(*ends)
        if isinstance(node, ast.Constant) and node.value is ...:
            return ...
        number = self._bound(node)
        return number if type(number) is int else None

    def _bound(self, node: ast.expr | None) -> int | bool | None:
        """A whole number; False for what is none."""
        if node is None:
            return None
        found = literal(node)
        found = self._value(node) if found is None else found
        return int(found) if isinstance(found, int | float) and float(found).is_integer() else False

    def given(self, node: ast.Call) -> list[ast.expr]:
        """What a call is given by place, of a method its object first."""
        func = node.func
        if isinstance(func, ast.Attribute):
            module = isinstance(func.value, ast.Name) and self.recorded(func.value) is None
            return list(node.args) if module else [func.value, *node.args]
        return list(node.args)

    def axis(self, node: ast.Call) -> int | None:
        """The axis that a call names, or gets as its second argument."""
        named = [one.value for one in node.keywords if one.arg == "axis"]
        given = named or self.given(node)[1:2]
        found = literal(given[0]) if given else None
        return found if type(found) is int else None


def _fit(*parts: Any) -> bool:
    """Whether all are known, and what they give together, number by number, is not too large."""
    if any(one is None for one in parts):
        return False
    return math.prod(np.broadcast_shapes(*map(np.shape, parts))) <= LARGEST


def _multiply(left: Any, right: Any) -> bool:
    """The same of a product of matrices."""
    if left is None or right is None:
        return False
    one: tuple[int, ...] = (1, 1, *np.shape(left))
    other: tuple[int, ...] = (1, 1, *np.shape(right))
    batch = math.prod(np.broadcast_shapes(one[:-2], other[:-2]))
    return batch * one[-2] * other[-1] <= LARGEST


def _outer(left: Any, right: Any) -> bool:
    """The same of all products of two numbers."""
    return left is not None and right is not None and np.size(left) * np.size(right) <= LARGEST


FITS: dict[str, Callable[[Any, Any], bool]] = {"outer": _outer, "matmul": _multiply}
"""Operations of two that are not done number by number."""


def literal(node: ast.AST) -> Any:
    """The value of a constant, or of a list of them; None for anything else."""
    try:
        return ast.literal_eval(node) if isinstance(node, ast.expr) else None
    except ValueError:
        return None


def _negative(value: Any) -> Any:
    return None if value is None else -value


def _softmax(array: Floats, axis: int) -> Floats:
    powers = np.exp(array - array.max(axis=axis, keepdims=True))
    return np.asarray(powers / powers.sum(axis=axis, keepdims=True))
