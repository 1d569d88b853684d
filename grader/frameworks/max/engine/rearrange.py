"""Operations that only move elements: broadcast, transpose, slice, join, pad."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

import numpy as np

from grader.frameworks.max.engine.operation import Array, Handler, Operation


def _integers(array: Array) -> list[int]:
    return [int(value) for value in array.ravel()]


def _broadcast(operation: Operation, arrays: Sequence[Array]) -> Array:
    shape = operation.shape
    if shape is None:
        shape = tuple(_integers(arrays[1]))
    return np.broadcast_to(arrays[0], shape)


def _transpose(operation: Operation, arrays: Sequence[Array]) -> Array:
    return arrays[0].transpose(_integers(arrays[1]))


def _slice(operation: Operation, arrays: Sequence[Array]) -> Array:
    """Compute ``x[start:stop:step]`` on every axis; steps are positive, ends are clamped."""
    x, starts, stops, steps = arrays[:4]
    bounds = zip(_integers(starts), _integers(stops), _integers(steps), strict=True)
    result: Array = x[tuple(slice(start, stop, step) for start, stop, step in bounds)]
    return result


def _split(operation: Operation, arrays: Sequence[Array]) -> Sequence[Array]:
    x, sizes = arrays
    before = (slice(None),) * (operation.axis % x.ndim)
    ends = np.cumsum(sizes).tolist()
    return [x[*before, start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _concat(operation: Operation, arrays: Sequence[Array]) -> Array:
    return np.concatenate(arrays, operation.axis)


def _tile(operation: Operation, arrays: Sequence[Array]) -> Array:
    return np.tile(arrays[0], _integers(arrays[1]))


def _pad_widths(array: Array) -> list[tuple[int, int]]:
    flat = _integers(array)
    return list(zip(flat[::2], flat[1::2], strict=True))


def _pad_constant(operation: Operation, arrays: Sequence[Array]) -> Array:
    x, widths, value = arrays
    return np.pad(x, _pad_widths(widths), constant_values=value.item())


def _pad(mode: Literal["reflect", "edge"]) -> Handler:
    def handle(operation: Operation, arrays: Sequence[Array]) -> Array:
        return np.pad(arrays[0], _pad_widths(arrays[1]), mode)

    return handle


def _band_part(operation: Operation, arrays: Sequence[Array]) -> Array:
    """Keep a band around the diagonal of the last two axes, or with ``exclude`` the rest.

    A negative bound keeps the whole triangle on that side.
    """
    x = arrays[0]
    lower, upper, exclude = (array.item() for array in arrays[1:4])
    rows = np.arange(x.shape[-2])[:, None]  # [rows, 1]
    columns = np.arange(x.shape[-1])[None, :]  # [1, columns]
    below, above = rows - columns, columns - rows
    band = ((lower < 0) | (below <= lower)) & ((upper < 0) | (above <= upper))
    return np.where(band != bool(exclude), x, x.dtype.type(0))


def _repeat(operation: Operation, arrays: Sequence[Array]) -> Array:
    """Repeat each element along an axis, all equally often or each according to its own count."""
    x, counts, axis = arrays
    repeats = counts.ravel() if counts.size > 1 else int(counts.item())
    return np.repeat(x, repeats, int(axis.item()))


HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        "BroadcastToOp": _broadcast,
        "StaticBroadcastToOp": _broadcast,
        "TransposeOp": _transpose,
        "SliceOp": _slice,
        "SplitOp": _split,
        "ConcatOp": _concat,
        "TileOp": _tile,
        "PadConstantOp": _pad_constant,
        "PadReflectOp": _pad("reflect"),
        "PadRepeatOp": _pad("edge"),
        "LinalgBandPartOp": _band_part,
    }
)

CUSTOM_HANDLERS: Mapping[str, Handler] = MappingProxyType({"repeat_interleave": _repeat})
