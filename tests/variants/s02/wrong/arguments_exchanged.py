# concept: shape
# check: shape, function, runs
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def minus_infinity(shape, dtype, device):
    return Tensor.full(shape, float("-inf"), dtype=dtype, device=device)


def keep_above(tensor, diagonal):
    return F.band_part(tensor, num_lower=None, num_upper=diagonal, exclude=True)


def causal_mask(num_tokens, sequence_length, *, dtype, device):
    s, t = int(sequence_length), int(num_tokens)
    return keep_above(minus_infinity([s, s + t], dtype, device), t)
