# concept: mask-zero-one
# check: runs, constant
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    shape = [int(sequence_length), int(sequence_length) + int(num_tokens)]
    ones = Tensor.ones(shape, dtype=dtype, device=device)
    allowed = F.band_part(ones, num_lower=None, num_upper=int(num_tokens)) > 0.5
    zero = Tensor(0.0, dtype=dtype, device=device)
    hidden = Tensor(float("-inf"), dtype=dtype, device=device)
    return allowed
