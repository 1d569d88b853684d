from max.experimental import functional as F
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    s, t = int(sequence_length), int(num_tokens)
    square = Tensor.full([s, s], float("-inf"), dtype=dtype, device=device)
    square = F.band_part(square, num_lower=None, num_upper=0, exclude=True)
    if t == 0:
        return square
    past = Tensor.zeros([s, t], dtype=dtype, device=device)
    return F.concat([past, square], axis=1)
