from max.experimental import functional as F
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    s, t = int(sequence_length), int(num_tokens)
    mask = Tensor.full([s, s + t], float("-inf"), dtype=dtype, device=device)
    return F.band_part(mask, -1, t, exclude=True)
