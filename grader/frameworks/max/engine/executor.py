"""Runs a lowered graph on NumPy arrays.

MAX's interpreter creates a buffer for each value. An addition of two tensors is six operations, of
which NumPy needs one: the buffers take longer than the arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from max import graph
from max.driver import Buffer
from max.experimental.tensor import Tensor

from grader.frameworks.max.engine import interpreter, private
from grader.frameworks.max.engine.operation import Unsupported

Execute = Callable[[graph.Graph, Sequence[Buffer]], Sequence[Any]]

OF_SHAPES = frozenset(("ShapeOfOp", "BroadcastShapeOp"))
"""A third of all operations. Where shapes are numbers, nothing needs their results."""

MOVING = frozenset(("BroadcastToOp", "StaticReshapeOp"))
"""Another third of all operations, and most of these move nothing."""


def finalized(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a faster function that finishes the graph of a realization, made from MAX's.

    MAX also runs a pass that removes what no output needs, but lowering removes that anyway.
    """
    inside, peek, remove = private.INSIDE.get(), private.PEEK.get(), private.UNUSED.get()

    def finalize_graph(self: Any) -> tuple[list[Tensor], graph.Graph]:
        if writes(self.graph):
            result: tuple[list[Tensor], graph.Graph] = original(self)
            return result
        with inside(self), self.graph:
            seed = Tensor.from_graph_value(peek())
            alive = (tensor for each in self.unrealized if (tensor := each()) is not None)
            outputs = [seed, *alive]
            self.graph.output(*(one._graph_value for each in outputs for one in each.local_shards))  # noqa: SLF001
        remove(self.graph)
        return outputs, self.graph

    return finalize_graph


def writes(staged: graph.Graph) -> bool:
    """Whether it may write into an input, which would change arrays that share its memory."""
    return any(isinstance(value, graph.BufferValue) for value in staged.inputs)


def sooner(original: Execute) -> Execute:
    """Return a faster function that runs a graph, made from MAX's."""
    walk, look_up = private.WALK.get(), private.LOOK_UP.get()
    ends = private.OPERATIONS.get().OutputOp

    def execute(staged: graph.Graph, inputs: Sequence[Buffer]) -> Sequence[Any]:
        if writes(staged):
            return original(staged, inputs)
        run = _Run(staged.inputs, inputs, look_up)
        with np.errstate(all="ignore"):
            for operation in walk(staged._module):  # noqa: SLF001 - see private.MODULE
                if isinstance(operation, ends):
                    return run.buffers(operation)
                run.do(operation)
        raise RuntimeError("Graph has no output terminator")

    return execute


class _Run:
    """The values of a graph so far: each an array or a buffer."""

    def __init__(
        self,
        inputs: Sequence[graph.Value[Any]],
        given: Sequence[Buffer],
        look_up: Callable[[Any], Any],
    ) -> None:
        self._look_up = look_up
        self._given = given
        self._values: dict[Any, Any] = {
            value.to_mlir(): one for value, one in zip(inputs, given, strict=True)
        }
        self._waiting: list[Any] = []
        """Operations that compute shapes, postponed until one is needed."""

    def do(self, operation: Any) -> None:
        """Compute the results of an operation, unless perhaps nothing needs them."""
        kind = type(operation).__name__
        if kind in OF_SHAPES:
            self._waiting.append(operation)
        elif kind in MOVING and (moved := self._moved(kind, operation)) is not None:
            self._values[operation.results[0]] = moved
        else:
            self._compute(operation)

    def buffers(self, operation: Any) -> list[Buffer]:
        """Return a buffer for each operand, over memory that nothing else uses."""
        taken = {id(one) for one in self._given}
        buffers = []
        for value in self._operands(operation):
            if isinstance(value, Buffer):
                buffers.append(interpreter.copied(value) if id(value) in taken else value)
            else:
                own = value.flags.owndata and id(value) not in taken
                buffers.append(interpreter.buffer(value if own else value.copy()))
            taken.add(id(value))
        return buffers

    def _moved(self, kind: str, operation: Any) -> Any:
        """Return the first operand in the result's shape, if that is all the operation does."""
        key, shape = operation.operands[0].value, interpreter.StagedOperation(operation).shape
        value = self._values.get(key)
        if isinstance(value, Buffer) and value.dtype not in interpreter.HALF:
            try:
                value = self._values[key] = interpreter.read(value)
            except Unsupported:
                return None
        if value is None or shape is None:
            return None
        if kind == "BroadcastToOp" and tuple(value.shape) == shape:
            return value
        if kind == "StaticReshapeOp":
            whole = isinstance(value, Buffer)  # a view of it would share memory, unseen
            return interpreter.copied(value, shape) if whole else value.reshape(shape)
        if isinstance(value, Buffer):
            return None
        return np.array(np.broadcast_to(value, shape), order="C")

    def _compute(self, operation: Any) -> None:
        """Compute an operation with our own handler, or else with MAX's."""
        results = _computed(operation, self._look_up(operation), self._operands(operation))
        self._values.update(zip(operation.results, results, strict=True))

    def _operands(self, operation: Any) -> list[Any]:
        """Return the values of its operands; None for one without a value, such as an order."""
        operands = [getattr(one, "value", one) for one in operation.operands]
        found = [self._values.get(operand) for operand in operands]
        if self._waiting and any(value is None for value in found):
            waiting, self._waiting = self._waiting, []
            for one in waiting:
                self._compute(one)
            return self._operands(operation)
        return found


def _computed(operation: Any, handler: Any, given: Sequence[Any]) -> Sequence[Any]:
    code = interpreter.on_arrays(handler)
    if code is not None:
        try:
            return code(operation, [interpreter.array(one) for one in given])
        except Unsupported:
            pass
    buffers = [one if one is None else interpreter.buffer(one) for one in given]
    results: Sequence[Any] = handler(operation, buffers)
    return results
