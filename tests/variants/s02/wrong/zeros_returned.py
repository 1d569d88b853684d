# concept: no-mask
# check: band, constant, square
import max.experimental.functional as F
from max.experimental.tensor import Tensor


@F.functional
def causal_mask(sequence_length, num_tokens, *, dtype, device):
    total = int(sequence_length) + int(num_tokens)
    everything = Tensor.full(
        [int(sequence_length), total], float("-inf"), dtype=dtype, device=device
    )
    return Tensor.zeros(everything.shape, dtype=dtype, device=device)
