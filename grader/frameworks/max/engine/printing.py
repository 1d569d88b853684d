"""Prints a tensor from an array of its numbers, because MAX computes every row that it prints.

The text equals MAX's (``tests/frameworks/engine/test_staging``). Printing a few tensors of GPT-2's
size in a forward pass used to take ten seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from max.driver import Device
from max.dtype import DType
from max.experimental.tensor import Tensor

ARRAYS = {
    DType.bool,
    *(DType.float16, DType.float32, DType.float64),
    *(DType.int8, DType.int16, DType.int32, DType.int64),
    *(DType.uint8, DType.uint16, DType.uint32, DType.uint64),
}
"""The element types that NumPy supports too."""


@dataclass(frozen=True)
class Numbers:
    """What MAX needs of a tensor to print it."""

    array: np.ndarray[Any, Any]
    dtype: DType
    device: Device

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of its axes."""
        return tuple(self.array.shape)

    def num_elements(self) -> int:
        """Return how many numbers it has."""
        return self.array.size

    def _values(self) -> Iterator[Any]:
        """Yield its numbers in order, as Python numbers."""
        return (one.item() for one in self.array.flat)

    def __getitem__(self, index: int) -> Numbers:
        return Numbers(self.array[index], self.dtype, self.device)


def rendered(original: Callable[..., str]) -> Callable[..., str]:
    """Return MAX's printing function, applied to an array of the tensor's numbers."""

    def render(tensor: Tensor) -> str:
        if tensor.dtype not in ARRAYS:
            return original(tensor)
        return original(Numbers(tensor.to_numpy(), tensor.dtype, tensor.device))

    return render
