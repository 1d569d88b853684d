# concept: runs
# check: runs, band
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def minus_infinity(shape, dtype, device):
    return Tensor.full(shape, float("-inf"), dtype=dtype, device=device)


def keep_above(tensor, diagonal):
    return F.triu(tensor, diagonal=diagonal + 1)


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    s, t = int(sequence_length), int(num_tokens)
    return keep_above(minus_infinity([s, s + t], dtype, device), t)
