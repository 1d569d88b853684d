"""The one place that knows MAX's private names.

It puts the NumPy handlers into MAX's interpreter, carries arrays across, and announces the
kernels that MAX still compiles. Everything here is pinned to one exact version of MAX.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from max import graph
from max._core.dialects import mo
from max._interpreter_ops import handlers as max_handlers
from max.driver import Buffer
from max.dtype import DType
from max.graph.ops.rms_norm import _float32_attr_value

from grader.engine.operation import Array, Handler

MaxHandler = Callable[[Any, Sequence[Any]], Sequence[Any]]


class _Operation:
    """An MO operation as :class:`grader.engine.operation.Operation`."""

    __slots__ = ("_mo",)

    def __init__(self, operation: Any) -> None:
        self._mo = operation

    @property
    def dtype(self) -> np.dtype[Any]:
        kind = next(iter(self._mo.results)).type.dtype
        return np.dtype(np.float32) if kind == DType.bfloat16 else np.dtype(kind.to_numpy())

    @property
    def shape(self) -> tuple[int, ...] | None:
        shape = graph.Shape.from_mlir(next(iter(self._mo.results)).type.shape)
        return tuple(shape.static_dims) if graph.Shape.is_static(shape) else None

    @property
    def axis(self) -> int:
        return int(self._mo.axis)

    def flag(self, name: str) -> bool:
        return bool(getattr(self._mo, name))

    def integer(self, name: str) -> int:
        return int(getattr(self._mo, name))

    def number(self, name: str) -> float:
        return _float32_attr_value(getattr(self._mo, name))


def _read(buffer: Buffer) -> Array:
    """A buffer's numbers, sharing its memory; bfloat16 comes as a float32 copy."""
    if buffer.dtype == DType.bfloat16:
        bits = buffer.view(DType.uint16, tuple(buffer.shape)).to_numpy()
        return (bits.astype(np.uint32) << 16).view(np.float32)
    return buffer.to_numpy()


def _write(array: Array, sources: Sequence[Array]) -> Buffer:
    """A buffer over memory of its own."""
    result = np.asarray(array)
    shared = result.base is not None or any(result is source for source in sources)
    if shared or not (result.flags.c_contiguous and result.flags.owndata):
        result = np.array(result, order="C")
    if result.dtype == np.bool_ and result.ndim == 0:
        return Buffer.from_numpy(result.view(np.uint8)).view(DType.bool, ())
    return Buffer.from_numpy(result)


def _adapt(handler: Handler) -> MaxHandler:
    def handle(operation: Any, buffers: Sequence[Any]) -> Sequence[Any]:
        arrays = [_read(buffer) for buffer in buffers]
        with np.errstate(all="ignore"):
            result = handler(_Operation(operation), arrays)
        results = [result] if isinstance(result, np.ndarray | np.generic) else result
        return [_write(array, arrays) for array in results]

    return handle


def register(table: Mapping[str, Handler]) -> None:
    """Let the interpreter call these handlers instead of MAX's kernels."""
    for name, handler in table.items():
        max_handlers.register_op_handler(getattr(mo, name))(_adapt(handler))
