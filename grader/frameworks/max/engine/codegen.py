"""Translates a staged graph to a Python function with one line for each operation.

The graph is the one that ``max.experimental.compilation.stage`` returns, before it is lowered:
its operations still broadcast as NumPy does, and its shapes may have names. What depends on no
input, such as a transposed weight, is computed while the function is written. An operation
overwrites an operand that nothing else needs: where arrays are large, new memory takes time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from max import graph

from grader.frameworks.max.engine import private, reduce
from grader.frameworks.max.engine.elementwise import FUNCTIONS
from grader.frameworks.max.engine.handlers import HANDLERS
from grader.frameworks.max.engine.interpreter import StagedOperation, read
from grader.frameworks.max.engine.operation import Array, Handler, Unsupported
from grader.frameworks.max.engine.symbolic_dims import Lengths

OF_LENGTHS = ("ShapeToTensorOp", "ReshapeOp", "BroadcastToOp", "SliceOp")
"""The operations whose attributes are shapes."""

OVER_AXIS: Mapping[str, Callable[..., Array]] = {
    "ReduceMeanOp": reduce.mean,
    "ReduceSoftmaxOp": reduce.softmax,
}
"""Functions along an axis that are so frequent that they are called without a handler."""

NEW = frozenset((*FUNCTIONS, "MatmulOp", "ReduceSoftmaxOp"))
"""The operations whose result is a new array, not a view of another."""

AXIS = re.compile(r"\baxis = (-?\d+)")
"""The axis in the text of an operation that has no class in Python."""


class _Remembered(StagedOperation):
    """An operation whose attributes are read from MAX only once."""

    dtype = cached_property(StagedOperation.dtype.fget)  # type: ignore[attr-defined]
    shape = cached_property(StagedOperation.shape.fget)  # type: ignore[attr-defined]
    axis = cached_property(StagedOperation.axis.fget)  # type: ignore[attr-defined]


class _Line(NamedTuple):
    """One operation of the graph: its kind, its operands and its results."""

    kind: str
    operation: Any
    takes: tuple[Any, ...]
    gives: tuple[Any, ...]

    @property
    def rank(self) -> int:
        """The number of dimensions of its first result."""
        return len(graph.Shape.from_mlir(self.gives[0].type.shape))


class Script:
    """The source of a function ``run`` of the graph's inputs, and the values of the names in it.

    The first letter of a name says what it is: ``a`` an input, ``c`` a constant, ``d`` a length,
    ``f`` a function, ``v`` an intermediate value.
    """

    def __init__(self, staged: graph.Graph, weights: Mapping[str, Array]) -> None:
        """Translate a graph.

        Args:
            staged: The graph.
            weights: The values of its external constants, by name.

        Raises:
            Unsupported: it has an operation that NumPy does not compute here.
        """
        self.names: dict[str, Any] = {
            "array": np.array,
            "broadcast_to": np.broadcast_to,
            "concatenate": np.concatenate,
            "int64": np.int64,
        }
        self._weights = weights
        self._called = {each._mlir_value: f"a{i}" for i, each in enumerate(staged.inputs)}  # noqa: SLF001
        self._constants: dict[Any, Array] = {}
        self._new: set[Any] = set()
        lengths = Lengths([list(each.type.shape) for each in staged.inputs])
        self._lengths = lengths
        lines = [_line(operation) for operation in _operations(staged)]
        self._uses = Counter(value for line in lines for value in {*line.takes})
        self._last = {value: line for line in lines for value in (*line.gives, *line.takes)}
        body = [text for line in lines for text in self._write(line)]
        self.names |= lengths.functions
        inputs = f"def run({', '.join(self._called[i._mlir_value] for i in staged.inputs)}):"  # noqa: SLF001
        self.source = "\n    ".join([inputs, *lengths.lines(), *body]) + "\n"

    def _write(self, line: _Line) -> list[str]:
        """Return the text of one operation; none if it is computed now."""
        if line.kind == "ChainCreateOp":
            return []
        if line.kind == "OutputOp":
            return [f"return [{self._arguments(line)}]"]
        if line.kind in ("ConstantOp", "ConstantExternalOp"):
            self._keep(line.gives[0], self._constant(line))
            return []
        expression = self._expression(line)
        if (
            len(line.gives) == 1
            and line.kind not in OF_LENGTHS
            and self._constants.keys() >= {*line.takes}
        ):
            self._keep(line.gives[0], eval(expression, self.names))  # noqa: S307 - our own text
            return []
        for value in line.gives:
            self._called[value] = f"v{len(self._called)}"
        if line.kind.removeprefix("Mo") in NEW and line.rank:  # a number is not an array
            self._new.add(line.gives[0])
        text = f"{', '.join(map(self._called.__getitem__, line.gives))} = {expression}"
        done = [
            self._called[value]
            for value in dict.fromkeys((*line.takes, *line.gives))
            if self._last[value] is line and value not in self._constants
        ]
        return [f"{text}; del {', '.join(done)}" if done else text]

    def _constant(self, line: _Line) -> Array:
        """Return the value of a constant in the graph."""
        if line.kind == "ConstantExternalOp":
            return self._weights[str(line.operation.name)]
        [buffer] = private.HANDLERS.get()[type(line.operation)](line.operation, [])
        return read(buffer)

    def _expression(self, line: _Line) -> str:
        """Return the expression that computes an operation's results."""
        kind = line.kind.removeprefix("Mo")
        if line.kind in OF_LENGTHS:
            return self._of_lengths(line)
        if line.kind == "Operation":  # rmo.concat, which has no class in Python
            return f"concatenate(({self._arguments(line)},), {_axis_of_concat(line)})"
        if kind in ("TransposeOp", "SplitOp") and line.takes[1] in self._constants:
            return self._view(kind, line)
        if kind in FUNCTIONS:
            return self._elementwise(kind, line)
        if kind in OVER_AXIS:
            place = f", {self._overwritten(line)}" if kind in NEW else ""
            axis = int(line.operation.axis)
            return f"{self._function(OVER_AXIS[kind])}({self._arguments(line)}, {axis}{place})"
        if kind == "MatmulOp":
            return f"{self._function(np.matmul)}({self._arguments(line)})"
        if kind not in HANDLERS:
            raise Unsupported(f"{line.kind} is not computed on NumPy here")
        handled = _handled(line.operation, HANDLERS[kind])
        return f"{self._function(handled)}({self._arguments(line)})"

    def _elementwise(self, kind: str, line: _Line) -> str:
        """Return the text of an elementwise function. NumPy's own can overwrite an operand."""
        function = FUNCTIONS[kind]
        if kind == "DivOp" and StagedOperation(line.operation).dtype.kind == "f":
            function = np.divide
        if not isinstance(function, np.ufunc):
            return f"{self._function(function)}({self._arguments(line)})"
        given = ", ".join(self._lifted(value, line.rank) for value in line.takes)
        return f"{self._function(function)}({given}, {self._overwritten(line)})"

    def _overwritten(self, line: _Line) -> str:
        """Return an operand that the result can overwrite: of its type, and not needed again."""
        for value in line.takes:
            if value in self._new and self._uses[value] == 1 and value.type == line.gives[0].type:
                return self._called[value]
        return "None"

    def _lifted(self, value: Any, rank: int) -> str:
        """Return the name of an operand; a constant gets as many dimensions as the result.

        NumPy is faster with operands of the same shape.
        """
        array = self._constants.get(value)
        if array is None or not 0 < array.ndim < rank:
            return self._called[value]
        return self._named("c", array.reshape((1,) * (rank - array.ndim) + array.shape))

    def _view(self, kind: str, line: _Line) -> str:
        """Return the text of a transposition or a split with known numbers."""
        given, numbers = self._called[line.takes[0]], self._constants[line.takes[1]].tolist()
        if kind == "TransposeOp":
            return f"{given}.transpose({numbers})"
        before = ":, " * (int(line.operation.axis) % line.rank)
        ends = np.cumsum([0, *numbers]).tolist()
        return ", ".join(f"{given}[{before}{start}:{end}]" for start, end in pairwise(ends))

    def _of_lengths(self, line: _Line) -> str:
        """Return the text of an operation whose attributes are shapes."""
        operation, lengths = line.operation, self._lengths
        if line.kind == "ShapeToTensorOp":
            return f"array({lengths.shape(operation.shape)}, int64)"
        given = self._called[line.takes[0]]
        if line.kind == "SliceOp":
            bounds = (operation.starts, operation.stops, operation.steps)
            parts = zip(*map(lengths.of, bounds), strict=True)
            return f"{given}[{', '.join(map(':'.join, parts))}]"
        if line.kind == "ReshapeOp":
            return f"{given}.reshape({lengths.shape(operation.new_shape)})"
        return f"broadcast_to({given}, {lengths.shape(operation.new_shape)})"

    def _keep(self, value: Any, array: Array) -> None:
        """Remember a known value."""
        self._constants[value] = array
        self._called[value] = self._named("c", array)

    def _function(self, function: Callable[..., Any]) -> str:
        """Return the name of a function; each has one."""
        known = (name for name, each in self.names.items() if each is function)
        return next(known, None) or self._named("f", function)

    def _named(self, letter: str, what: Any) -> str:
        """Make a new name."""
        name = f"{letter}{len(self.names)}"
        self.names[name] = what
        return name

    def _arguments(self, line: _Line) -> str:
        return ", ".join(self._called[value] for value in line.takes)


def _operations(staged: graph.Graph) -> Iterable[Any]:
    """Return the operations of a graph's main part, in order."""
    for top in staged._module.body:  # noqa: SLF001
        yield from top.regions[0].front


def _line(operation: Any) -> _Line:
    """Read an operation. Some list values themselves as operands."""
    takes = tuple(getattr(each, "value", each) for each in operation.operands)
    return _Line(type(operation).__name__, operation, takes, tuple(operation.results))


def _handled(operation: Any, handler: Handler) -> Callable[..., Any]:
    """Return a function that computes an operation as the engine does in MAX's interpreter."""
    seen = _Remembered(operation)
    if len(operation.results) > 1:
        return lambda *arrays: handler(seen, arrays)
    dtype = seen.dtype
    return lambda *arrays: np.asarray(handler(seen, arrays)).astype(dtype, copy=False)


def _axis_of_concat(line: _Line) -> int:
    text = line.operation.asm(print_generic_op_form=True)
    found = AXIS.search(text)
    if found is None or '"rmo.concat"' not in text:
        raise Unsupported(f"{text.split('(')[0]} is not computed on NumPy here")
    return int(found[1])
