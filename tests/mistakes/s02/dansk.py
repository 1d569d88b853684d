from __future__ import annotations

import numpy as np
from max.driver import Device
from max.dtype import DType
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike


def antal(laengde: DimLike) -> int:
    """Et helt tal af en int eller en Dim."""
    return int(Dim(laengde))


def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    nye = antal(sequence_length)
    gamle = antal(num_tokens)
    bred = gamle + nye
    tabel = np.zeros((nye, bred), dtype=np.float32)
    for raekke in range(nye):
        sidste = gamle + raekke
        tabel[raekke, sidste + 1 :] = -np.inf
    return Tensor(tabel.astype(dtype.to_numpy()), dtype=dtype, device=device)
