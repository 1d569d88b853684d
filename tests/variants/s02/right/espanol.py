import numpy as np
from max.experimental import functional as F
from max.experimental.tensor import Tensor


@F.functional
def causal_mask(sequence_length, num_tokens, *, dtype, device):
    filas = int(sequence_length)
    previos = int(num_tokens)
    permitido = np.tri(filas, previos + filas, previos, dtype=bool)
    numeros = np.where(permitido, 0.0, -np.inf)
    return Tensor(numeros.astype(dtype.to_numpy()), dtype=dtype, device=device)
