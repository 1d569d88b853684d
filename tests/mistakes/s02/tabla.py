import numpy as np

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    filas = int(Dim(sequence_length))
    pasado = int(Dim(num_tokens))
    tabla = np.zeros((filas, pasado + filas), dtype=np.float32)
    for i in range(filas):
        for j in range(pasado + filas):
            if j > pasado + i:
                tabla[i, j] = -np.inf
    return F.cast(Tensor(tabla, dtype=DType.float32, device=device), dtype)
