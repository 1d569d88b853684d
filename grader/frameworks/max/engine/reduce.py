"""Operations along one axis: sums and extremes, softmax, cumulative sum, the norms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from grader.frameworks.max.engine.operation import Array, Handler, Operation, Refused


def _reduction(function: Callable[..., Any]) -> Handler:
    """Make a reduction that keeps its axis, with size 1, and its dtype."""

    def handle(operation: Operation, arrays: Sequence[Array]) -> Array:
        x = arrays[0]
        result: Array = function(x, axis=operation.axis, keepdims=True)
        return result.astype(x.dtype, copy=False)

    return handle


def mean(x: Array, axis: int) -> Array:
    """Return the mean along an axis, kept with size 1; for integers rounded toward zero."""
    total: Array = np.add.reduce(x, axis, x.dtype, keepdims=True)
    if x.dtype.kind == "f":
        np.divide(total, x.dtype.type(x.shape[axis]), total)
        return total
    return np.asarray(np.trunc(total / max(x.shape[axis], 1)), x.dtype)


def _extreme(function: np.ufunc, largest: bool) -> Handler:
    """Make a maximum or minimum; NaN is ignored, and MAX starts from the dtype's finite limit.

    So the maximum of only minus infinities is the lowest finite number.
    """

    def handle(operation: Operation, arrays: Sequence[Array]) -> Array:
        x = arrays[0]
        if x.dtype == np.bool_:
            joined = np.logical_or if largest else np.logical_and
            return np.asarray(joined.reduce(x, operation.axis, keepdims=True))
        limits = np.finfo(x.dtype) if x.dtype.kind == "f" else np.iinfo(x.dtype)
        start = limits.min if largest else limits.max
        return np.asarray(function.reduce(x, operation.axis, keepdims=True, initial=start))

    return handle


def _index_of(function: Callable[..., Any], worst: float) -> Handler:
    """Make a search for the first position of the maximum or minimum; NaN is ignored."""

    def handle(operation: Operation, arrays: Sequence[Array]) -> Array:
        x = arrays[0]
        if x.dtype.kind == "f":
            x = np.where(np.isnan(x), x.dtype.type(worst), x)
        return np.asarray(function(x, axis=operation.axis, keepdims=True), np.int64)

    return handle


def _shifted(x: Array, axis: int, out: Array | None = None) -> Array:
    """Subtract the largest value of each row; a row of only minus infinities stays unchanged.

    With an axis that does not exist MAX crashes without a message; here it is the program's fault.
    """
    if not -x.ndim <= axis < x.ndim:
        raise Refused(IndexError(f"Axis must be in range [-{x.ndim}, {x.ndim}), got {axis}"))
    largest = np.fmax.reduce(x, axis, keepdims=True, initial=np.finfo(x.dtype).min)
    shifted: Array = np.subtract(x, largest, out)
    return shifted


def _powers(shifted: Array, axis: int, out: Array | None = None) -> tuple[Array, Array]:
    """Return ``exp`` and its sum along an axis, which is infinite if there is a NaN.

    MAX's softmax returns NaN there and 0 in the rest of the row.
    """
    powers = np.exp(shifted, out)
    total = np.add.reduce(powers, axis, keepdims=True)
    if np.isnan(total).any():
        np.copyto(powers, np.inf, where=np.isnan(powers))
        total = np.add.reduce(powers, axis, keepdims=True)
    return powers, total


def softmax(x: Array, axis: int, out: Array | None = None) -> Array:
    """Compute softmax along an axis, into ``out`` if given, which may be ``x``."""
    shifted = _shifted(x, axis, out)
    powers, total = _powers(shifted, axis, shifted)
    return np.divide(powers, total, powers)


def _over_axis(function: Callable[[Array, int], Array]) -> Handler:
    return lambda operation, arrays: function(arrays[0], operation.axis)


def _log_softmax(operation: Operation, arrays: Sequence[Array]) -> Array:
    shifted = _shifted(arrays[0], operation.axis)
    return np.subtract(shifted, np.log(_powers(shifted, operation.axis)[1]), out=shifted)


def _cumsum(operation: Operation, arrays: Sequence[Array]) -> Array:
    x, axis = arrays[0], operation.axis
    reverse, exclusive = operation.flag("reverse"), operation.flag("exclusive")
    source = np.flip(x, axis) if reverse else x
    total: Array = np.cumsum(source, axis, dtype=x.dtype)
    if exclusive:
        total = total - source
    return np.flip(total, axis) if reverse else total


def _layer_norm(operation: Operation, arrays: Sequence[Array]) -> Array:
    """Compute ``(x - mean) / sqrt(variance + epsilon) * gamma + beta`` over the last axis."""
    x, gamma, beta, epsilon = arrays
    centred = x - x.mean(-1, keepdims=True)
    variance = np.square(centred).mean(-1, keepdims=True)
    scale = np.sqrt(variance + epsilon.astype(x.dtype))
    result: Array = centred / scale * gamma + beta
    return result


def _rms_norm(operation: Operation, arrays: Sequence[Array]) -> Array:
    """Compute ``x / sqrt(mean(x**2) + epsilon) * (weight + offset)`` over the last axis."""
    x, weight = arrays
    kind = x.dtype.type
    square = np.square(x).mean(-1, keepdims=True)
    normalised = x / np.sqrt(square + kind(operation.number("epsilon")))
    result: Array = normalised * (weight + kind(operation.number("weight_offset")))
    return result


def _group_norm(operation: Operation, arrays: Sequence[Array]) -> Array:
    """Normalize each group of channels of ``[batch, channels, ...]`` separately."""
    x, gamma, beta, epsilon, groups = arrays
    grouped = x.reshape(x.shape[0], int(groups.item()), -1)  # [batch, groups, rest]
    centred = grouped - grouped.mean(-1, keepdims=True)
    variance = np.square(centred).mean(-1, keepdims=True)
    normalised = (centred / np.sqrt(variance + epsilon.astype(x.dtype))).reshape(x.shape)
    per_channel = (-1,) + (1,) * (x.ndim - 2)
    result: Array = normalised * gamma.reshape(per_channel) + beta.reshape(per_channel)
    return result


HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        "ReduceAddOp": _reduction(np.sum),
        "ReduceMulOp": _reduction(np.prod),
        "ReduceMeanOp": _over_axis(mean),
        "ReduceMaxOp": _extreme(np.fmax, largest=True),
        "ReduceMinOp": _extreme(np.fmin, largest=False),
        "ReduceArgMaxOp": _index_of(np.argmax, -np.inf),
        "ReduceArgMinOp": _index_of(np.argmin, np.inf),
        "ReduceSoftmaxOp": _over_axis(softmax),
        "ReduceLogsoftmaxOp": _log_softmax,
        "CumsumOp": _cumsum,
        "ReduceLayerNormOp": _layer_norm,
        "ReduceRmsNormOp": _rms_norm,
        "ReduceGroupNormOp": _group_norm,
    }
)
