from max.experimental import functional as F
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    """log 1 = 0 and log 0 = -inf, so the logarithm of tril is the mask."""
    shape = [int(sequence_length), int(sequence_length) + int(num_tokens)]
    ones = Tensor.ones(shape, dtype=dtype, device=device)
    return F.log(F.band_part(ones, num_lower=None, num_upper=int(num_tokens)))
