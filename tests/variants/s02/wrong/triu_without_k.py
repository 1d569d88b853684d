# concept: mask-hides-self
# check: band, square
import numpy as np
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    rows, before = int(sequence_length), int(num_tokens)
    mask = np.triu(np.full((rows, rows + before), -np.inf), k=before)
    return Tensor(mask.astype(dtype.to_numpy()), dtype=dtype, device=device)
