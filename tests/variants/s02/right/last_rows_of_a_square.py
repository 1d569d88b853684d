from max.experimental import functional as F
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    n = int(sequence_length) + int(num_tokens)
    square = F.band_part(
        Tensor.full((n, n), float("-inf"), dtype=dtype, device=device), None, 0, exclude=True
    )
    return square[int(num_tokens) :, :]
