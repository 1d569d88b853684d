"""What a NumPy handler sees of a MAX operation.

A handler is a plain function of arrays: ``handler(operation, arrays) -> array`` (or a list of
arrays, for an operation with several results). It never sees MAX's own objects, so it can be
tested with NumPy alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]


class Operation(Protocol):
    """One operation of a staged graph: its attributes and its declared result."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of the first result; bfloat16 is computed as float32."""

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The shape of the first result; None if it depends on the values."""

    @property
    def axis(self) -> int:
        """The operation's ``axis`` attribute."""

    def flag(self, name: str) -> bool:
        """Return a boolean attribute, for example ``exclusive`` of a cumulative sum."""

    def integer(self, name: str) -> int:
        """Return an integer attribute, for example ``batch_dims`` of a gather."""

    def number(self, name: str) -> float:
        """Return a float32 attribute, for example ``epsilon`` of an RMS norm."""


Handler: TypeAlias = Callable[[Operation, Sequence[Array]], Array | Sequence[Array]]


class Unsupported(Exception):
    """A handler does not cover this case; MAX's own kernel takes over."""


class Refused(Exception):
    """``error`` is the program's fault. Anything else that a handler raises is ours.

    Running out of memory or recursion depth is the program's fault too.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error
        vars(error)["deserved"] = True  # as the worker marks what it raises itself
