import numpy as np
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    shape = (int(sequence_length), int(sequence_length) + int(num_tokens))
    table = np.zeros(shape, dtype=np.float32)
    hidden = np.triu_indices(shape[0], k=int(num_tokens) + 1, m=shape[1])
    table[hidden] = -np.inf
    return Tensor(table, device=device).cast(dtype)
