"""Operations that create numbers or multiply matrices: range, random draws, matmul."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from grader.frameworks.max.engine.operation import Array, Handler, Operation, Refused


def _range(operation: Operation, arrays: Sequence[Array]) -> Array:
    start, stop, step = (array.item() for array in arrays)
    values = np.arange(start, stop, step, dtype=operation.dtype)
    announced = operation.shape
    if announced is not None and announced != values.shape:
        # The message of MAX's own handler, so that a learner can look it up.
        words = (
            f"range declared a static length of {announced[0]} but produced {values.size} "
            "elements: the start/stop/step interval is not evenly divisible by the step."
        )
        raise Refused(RuntimeError(words))
    return values


def _generator(seed: Array) -> np.random.Generator:
    """Return a generator for MAX's seed, with MAX's distribution but other numbers."""
    return np.random.default_rng(int(seed.ravel()[0]) & 0xFFFF_FFFF_FFFF_FFFF)


def _normal(operation: Operation, arrays: Sequence[Array]) -> Array:
    shape, mean, spread, seed = arrays
    draw = _generator(seed).standard_normal(tuple(shape.tolist()))
    values: Array = (draw * spread.item() + mean.item()).astype(operation.dtype)
    return values


def _uniform(operation: Operation, arrays: Sequence[Array]) -> Array:
    shape, lower, upper, seed = arrays
    draw = _generator(seed).uniform(lower.item(), upper.item(), tuple(shape.tolist()))
    return draw.astype(operation.dtype)


def _matmul(operation: Operation, arrays: Sequence[Array]) -> Array:
    result: Array = np.matmul(arrays[0], arrays[1])
    return result


HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        "RangeOp": _range,
        "RandomNormalOp": _normal,
        "RandomUniformOp": _uniform,
        "MatmulOp": _matmul,
        "BatchMatmulOp": _matmul,
    }
)
