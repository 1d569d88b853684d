"""The cases on which NumPy handlers and MAX's own kernels must agree.

A case is a computation on MAX tensors with fixed inputs. ``record.py`` runs every case on MAX's
kernels and keeps the outputs in ``tests/recorded``; the tests run it on the NumPy handlers.
Inputs are drawn from the case's name, so they do not depend on the order of the cases.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Compute = Callable[..., Any]

FLOATS = ("float32", "float64")
SIGNED = ("int8", "int32", "int64")
NUMBERS = ("float32", "float64", "int32", "int64")

SPECIAL = np.array(
    [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.7, -9.3]
    + [1e-30, 1e30, -1e30, 88.5, -88.5, -104.0, 20.0, 1e-4, 7.0, -3.0]
)
PLAIN = np.array([0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.7, -9.3, 7.0, -7.0, 2.0, -3.0])
INTEGERS = np.array([-128, -7, -3, -2, -1, 1, 2, 3, 5, 7, 100, 127])
UNSIGNED = np.array([1, 2, 3, 5, 7, 100, 200, 255])


@dataclass(frozen=True)
class Case:
    """``compute(*inputs)`` reaches ``operations`` and gives one tensor or several."""

    name: str
    group: str
    operations: tuple[str, ...]
    compute: Compute
    inputs: tuple[Array, ...]


def rng_for(name: str) -> np.random.Generator:
    """A generator that depends on the name only."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def draw(name: str, shape: Sequence[int], dtype: str) -> Array:
    """Random numbers: normal for floats, small for integers, coin tosses for bool."""
    rng = rng_for(f"{name}{shape}{dtype}")
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.startswith("float"):
        return (2 * rng.standard_normal(shape)).astype(dtype)
    low = 0 if dtype.startswith("uint") else -9
    return rng.integers(low, 10, shape).astype(dtype)


def pairs(values: Array, dtype: str) -> tuple[Array, Array]:
    """Every value against every value."""
    left, right = np.meshgrid(values.astype(dtype), values.astype(dtype), indexing="ij")
    return np.ascontiguousarray(left), np.ascontiguousarray(right)


def functional() -> Any:
    """``max.experimental.functional``, imported late: the import takes half a second."""
    from max.experimental import functional as F

    return F


def call(name: str, *arguments: Any, **keywords: Any) -> Compute:
    """The function of ``max.experimental.functional``, further arguments after the tensors."""
    return lambda *tensors: getattr(functional(), name)(*tensors, *arguments, **keywords)
