from max.experimental import functional as F
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    s, t = int(sequence_length), int(num_tokens)
    ones = Tensor.ones([s, s + t], dtype=dtype, device=device)
    future = ones - F.band_part(ones, num_lower=None, num_upper=t)  # 1 in the future, else 0
    infinity = Tensor.full([s, s + t], float("inf"), dtype=dtype, device=device)
    zero = Tensor.zeros([s, s + t], dtype=dtype, device=device)
    return -F.where(future > 0, infinity, zero)
