# concept: square
# check: square, shape
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    s, t = int(sequence_length), int(num_tokens)
    if s == 1:
        return Tensor.full([1, t + 1], float("-inf"), dtype=dtype, device=device)
    mask = Tensor.full([s, s + t], float("-inf"), dtype=dtype, device=device)
    return F.band_part(mask, num_lower=None, num_upper=t, exclude=True)
