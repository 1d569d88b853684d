"""Runs a staged graph on NumPy, again and again, without staging it anew.

MAX interprets a graph once: it stages the operations, lowers them, and asks for each attribute
while it computes. A text is written by the same graph for every token, only with longer inputs.
So the graph is read once here, into a list of steps, and each run takes these steps.

The graph is the one that ``max.experimental.compilation.stage`` returns, before it is lowered:
its operations still broadcast as NumPy does, and its shapes may have names. What depends on no
input, such as a transposed weight, is computed when the graph is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from max import graph
from max.graph import Dim, StaticDim, SymbolicDim

from grader.frameworks.max.engine import private
from grader.frameworks.max.engine.elementwise import FUNCTIONS
from grader.frameworks.max.engine.handlers import HANDLERS
from grader.frameworks.max.engine.operation import Array, Unsupported
from grader.frameworks.max.engine.seam import StagedOperation, read

Lengths = Sequence[int]
"""The size of each dimension of the graph's shapes, by its number."""

Compute = Callable[[Lengths, Sequence[Array]], Any]
"""What computes an operation: an array, or a list of them if it has several results."""

AXIS = re.compile(r"\baxis = (-?\d+)")
"""The axis in the text of an operation that has no class in Python."""


class _Step(NamedTuple):
    """One operation: what it computes, from which values, into which, and which end with it."""

    compute: Compute
    takes: tuple[int, ...]
    gives: tuple[int, ...]
    done: tuple[int, ...]


class _Remembered(StagedOperation):
    """An operation whose attributes are read from MAX only once."""

    dtype = cached_property(StagedOperation.dtype.fget)  # type: ignore[attr-defined]
    shape = cached_property(StagedOperation.shape.fget)  # type: ignore[attr-defined]
    axis = cached_property(StagedOperation.axis.fget)  # type: ignore[attr-defined]


class Replay:
    """A staged graph as a function of NumPy arrays.

    It is called with one array for each input of the graph and returns one for each output. The
    arrays may share memory with each other and with the inputs: do not write into them.
    """

    def __init__(self, staged: graph.Graph, weights: Mapping[str, Array]) -> None:
        """Read a graph.

        Args:
            staged: The graph.
            weights: What each of its external constants holds, by name.

        Raises:
            Unsupported: it has an operation that NumPy does not compute here.
        """
        self._numbers: dict[Any, int] = {}
        self._dims: dict[Dim, int] = {}
        self._values: list[Array | None] = []
        self._inputs = [self._number(each._mlir_value) for each in staged.inputs]  # noqa: SLF001
        self._shapes = [tuple(map(_known, each.type.shape)) for each in staged.inputs]
        steps, self._outputs = self._read(staged, weights)
        self._sizes = [_known(dim) for dim in self._dims]
        self._steps = _with_ends(steps, self._outputs)

    def __call__(self, *arrays: Array) -> list[Array]:
        """Run it.

        Raises:
            ValueError: an array has another shape than its input.
        """
        lengths = self._lengths(arrays)
        values: list[Any] = list(self._values)
        for index, array in zip(self._inputs, arrays, strict=True):
            values[index] = array
        with np.errstate(all="ignore"):
            for compute, takes, gives, done in self._steps:
                result = compute(lengths, [values[index] for index in takes])
                if len(gives) == 1:
                    values[gives[0]] = result
                else:
                    for index, part in zip(gives, result, strict=True):
                        values[index] = part
                for index in done:
                    values[index] = None
        return [values[index] for index in self._outputs]

    def _number(self, value: Any) -> int:
        """The place of a value of the graph; a new one for a new value."""
        if value not in self._numbers:
            self._numbers[value] = len(self._values)
            self._values.append(None)
        return self._numbers[value]

    def _lengths(self, arrays: Sequence[Array]) -> Lengths:
        """The size of every dimension, from the shapes of the inputs."""
        found: dict[str, int] = {}
        for shape, array in zip(self._shapes, arrays, strict=True):
            if len(shape) != array.ndim or any(
                size != (found.setdefault(dim, size) if isinstance(dim, str) else dim)
                for dim, size in zip(shape, array.shape, strict=True)
            ):
                raise ValueError(f"an input has shape {array.shape}, its graph {shape}")
        return [_size(known, found) for known in self._sizes]

    def _read(
        self, staged: graph.Graph, weights: Mapping[str, Array]
    ) -> tuple[list[_Step], list[int]]:
        """The steps that depend on an input, and the places of the outputs."""
        steps: list[_Step] = []
        constant: set[int] = set()
        for operation in _operations(staged):
            kind = type(operation).__name__
            takes = tuple(self._number(_value(each)) for each in operation.operands)
            if kind == "OutputOp":
                return steps, list(takes)
            if kind == "ChainCreateOp":
                continue
            compute = self._compute(kind, operation, weights)
            gives = tuple(self._number(each) for each in operation.results)
            if len(gives) == 1 and constant.issuperset(takes) and kind not in OF_LENGTHS:
                self._values[gives[0]] = compute((), self._known(takes))
                constant.add(gives[0])
            else:
                steps.append(_Step(compute, takes, gives, ()))
        raise Unsupported("the graph has no outputs")

    def _known(self, places: Iterable[int]) -> list[Array]:
        return [value for index in places if (value := self._values[index]) is not None]

    def _compute(self, kind: str, operation: Any, weights: Mapping[str, Array]) -> Compute:
        """What an operation computes."""
        if kind == "ConstantExternalOp":
            weight = weights[str(operation.name)]
            return lambda _lengths, _arrays: weight
        if kind == "ConstantOp":
            [buffer] = private.HANDLERS.get()[type(operation)](operation, [])
            array = read(buffer)
            return lambda _lengths, _arrays: array
        if kind in OF_LENGTHS:
            return self._of_lengths(kind, operation)
        if kind == "Operation":  # rmo.concat, which has no class in Python
            return _concat(operation)
        name = kind.removeprefix("Mo")
        if name in FUNCTIONS:
            function = FUNCTIONS[name]
            return lambda _lengths, arrays: function(*arrays)
        handler = HANDLERS.get(name)
        if handler is None:
            raise Unsupported(f"{kind} is not computed on NumPy here")
        seen = _Remembered(operation)
        if len(operation.results) > 1:
            return lambda _lengths, arrays: handler(seen, arrays)
        dtype = seen.dtype

        def compute(_lengths: Lengths, arrays: Sequence[Array]) -> Array:
            result = np.asarray(handler(seen, arrays))
            return result if result.dtype == dtype else result.astype(dtype)

        return compute

    def _of_lengths(self, kind: str, operation: Any) -> Compute:
        """An operation whose attributes are shapes, which may have names."""
        if kind == "SliceOp":
            bounds = [
                self._shape(getattr(operation, name)) for name in ("starts", "stops", "steps")
            ]
            return lambda lengths, arrays: arrays[0][
                tuple(map(slice, *([lengths[dim] for dim in each] for each in bounds)))
            ]
        dims = self._shape(operation.shape if kind == "ShapeToTensorOp" else operation.new_shape)
        if kind == "ShapeToTensorOp":
            return lambda lengths, _: np.array([lengths[dim] for dim in dims], np.int64)
        if kind == "ReshapeOp":
            return lambda lengths, arrays: arrays[0].reshape([lengths[dim] for dim in dims])
        return lambda lengths, arrays: np.broadcast_to(arrays[0], [lengths[dim] for dim in dims])

    def _shape(self, attribute: Any) -> list[int]:
        """The numbers of a shape's dimensions, whose sizes each run will need."""
        return [
            self._dims.setdefault(dim, len(self._dims)) for dim in graph.Shape.from_mlir(attribute)
        ]


OF_LENGTHS = ("ShapeToTensorOp", "ReshapeOp", "BroadcastToOp", "SliceOp")
"""The operations whose attributes are shapes."""


def _operations(staged: graph.Graph) -> Iterable[Any]:
    """The operations of a graph, in order; only those of its main part."""
    for top in staged._module.body:  # noqa: SLF001
        yield from top.regions[0].front


def _value(operand: Any) -> Any:
    """The value that an operand refers to: some operations list values themselves."""
    return getattr(operand, "value", operand)


Size = int | str | Callable[[Mapping[str, int]], int]
"""The size of a dimension: known, or that of a name, or computed from the names' sizes."""


def _known(dim: Dim) -> Size:
    """What is known of a dimension before a run."""
    if isinstance(dim, StaticDim):
        return int(dim)
    if isinstance(dim, SymbolicDim):
        return str(dim.name)
    attribute: Any = dim.to_mlir()
    if attribute.opcode == (Dim("past") + "seq").to_mlir().opcode:
        terms = [_known(Dim(each)) for each in attribute.operands]
        return lambda found: sum(_size(each, found) for each in terms)
    return lambda found: int(dim.substitute(found))  # which takes MAX 30 microseconds


def _size(known: Size, found: Mapping[str, int]) -> int:
    """The size of a dimension, given those that have names."""
    if isinstance(known, int):
        return known
    return found[known] if isinstance(known, str) else known(found)


def _concat(operation: Any) -> Compute:
    text = operation.asm(print_generic_op_form=True)
    found = AXIS.search(text)
    if found is None or '"rmo.concat"' not in text:
        raise Unsupported(f"{text.split('(')[0]} is not computed on NumPy here")
    axis = int(found[1])
    return lambda _lengths, arrays: np.concatenate(arrays, axis)


def _with_ends(steps: Sequence[_Step], outputs: Iterable[int]) -> list[_Step]:
    """The steps, each with the values that no later step needs: they free their memory."""
    needed = set(outputs)
    ending: list[_Step] = []
    for step in reversed(steps):
        done = {*step.takes, *step.gives} - needed
        needed |= done
        ending.append(_Step(step.compute, step.takes, step.gives, tuple(done)))
    return ending[::-1]
