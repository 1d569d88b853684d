from max.experimental import functional as F
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    new, old = int(sequence_length), int(num_tokens)

    def block(columns, number):
        return Tensor.full([new, columns], number, dtype=dtype, device=device)

    square = F.band_part(block(new, float("-inf")), num_lower=None, num_upper=0, exclude=True)
    if old == 0:
        return square
    return F.concat([block(old, 0.0), square], axis=1)
