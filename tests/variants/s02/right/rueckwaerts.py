import numpy as np
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    n = int(sequence_length)
    total = int(num_tokens) + n
    grid = np.full((n, total), -np.inf, dtype=np.float32)
    for row in range(n):
        last = total - n + row
        grid[row, : last + 1] = 0.0
    return Tensor(grid, device=device).cast(dtype)
