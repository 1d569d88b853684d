"""Causal mask construction utilities."""

from __future__ import annotations

import numpy as np
from max.driver import Device
from max.dtype import DType
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike


class CausalMaskBuilder:
    """Builds an additive causal mask, row by row."""

    def __init__(self, sequence_length: int, num_tokens: int) -> None:
        self.sequence_length = sequence_length
        self.num_tokens = num_tokens
        self.total_length = sequence_length + num_tokens

    def build(self) -> np.ndarray:
        """Return the mask as a NumPy array [sequence_length, total_length]."""
        mask = np.zeros((self.sequence_length, self.total_length))
        for row in range(self.sequence_length):
            # Everything after the row's own position is hidden.
            first_hidden = self.num_tokens + row + 1
            mask[row, first_hidden:] = -np.inf
        return mask


def causal_mask(
    sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device
) -> Tensor:
    builder = CausalMaskBuilder(int(Dim(sequence_length)), int(Dim(num_tokens)))
    mask = builder.build()
    return Tensor(mask.tolist(), dtype=dtype, device=device)
