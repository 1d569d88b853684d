"""Operations that look up or write by position: gather and scatter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from grader.frameworks.max.engine.operation import Array, Handler, Operation, Refused


def _checked(indices: Array, size: int, what: str) -> Array:
    """Return the indices, counting negative ones from the end; out of range is an error.

    In MAX's own kernel out-of-range indices are undefined behaviour; an error is more helpful.
    """
    if indices.size and not (-size <= indices.min() and indices.max() < size):
        wrong = int(indices.max() if indices.max() >= size else indices.min())
        words = f"{what}: index {wrong} is out of range for an axis of size {size}"
        raise Refused(IndexError(words))
    return indices.astype(np.int64, copy=False) % max(size, 1)


def _gather(operation: Operation, arrays: Sequence[Array]) -> Array:
    x, indices = arrays
    axis = operation.axis
    return np.take(x, _checked(indices, x.shape[axis], "gather"), axis)


def _positions(indices: Array, sizes: Sequence[int], what: str) -> tuple[Array, ...]:
    """Return the index vectors in the last axis as one array per indexed axis."""
    return tuple(
        _checked(indices[..., axis], size, what)
        for axis, size in enumerate(sizes[: indices.shape[-1]])
    )


def _gather_nd(operation: Operation, arrays: Sequence[Array]) -> Array:
    x, indices = arrays
    batch = operation.integer("batch_dims")
    where = _positions(indices, x.shape[batch:], "gather_nd")
    inner = where[0].ndim
    grids = [
        np.arange(x.shape[axis]).reshape((-1,) + (1,) * (inner - axis - 1)) for axis in range(batch)
    ]
    result: Array = x[(*grids, *where)]
    return result


def _scatter_at(
    x: Array, where: tuple[Array, ...], updates: Array, combine: Callable[..., Any] | None
) -> Array:
    result = x.copy()
    if combine is None:
        result[where] = updates
    else:
        combine(result, where, updates)
    return result


def _scatter(combine: Callable[..., Any] | None) -> Handler:
    def handle(operation: Operation, arrays: Sequence[Array]) -> Array:
        x, updates, indices = arrays[:3]
        # The overwriting form has its axis as an attribute, the others as an operand.
        axis = operation.axis if len(arrays) == 3 else int(arrays[3].item())
        axis %= x.ndim
        where = list(np.ogrid[tuple(slice(size) for size in indices.shape)])
        where[axis] = _checked(indices, x.shape[axis], "scatter")
        return _scatter_at(x, tuple(where), updates, combine)

    return handle


def _scatter_nd(combine: Callable[..., Any] | None) -> Handler:
    def handle(operation: Operation, arrays: Sequence[Array]) -> Array:
        x, updates, indices = arrays
        where = _positions(indices, x.shape, "scatter_nd")
        # masked_scatter may get more updates than places; it uses the first ones.
        return _scatter_at(x, where, updates[: len(indices)], combine)

    return handle


HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        "GatherOp": _gather,
        "GatherNdOp": _gather_nd,
        "ScatterOp": _scatter(None),
        "ScatterAddOp": _scatter(np.add.at),
        "ScatterMaxOp": _scatter(np.maximum.at),
        "ScatterMinOp": _scatter(np.minimum.at),
        "ScatterMulOp": _scatter(np.multiply.at),
        "ScatterNdOp": _scatter_nd(None),
        "ScatterNdAddOp": _scatter_nd(np.add.at),
        "ScatterNdMaxOp": _scatter_nd(np.maximum.at),
        "ScatterNdMinOp": _scatter_nd(np.minimum.at),
        "ScatterNdMulOp": _scatter_nd(np.multiply.at),
    }
)
