# concept: runs
# check: runs, band, columns
import max.experimental.functional as F
from max.experimental.tensor import Tensor


@F.functional
def causal_mask(sequence_length, num_tokens, *, dtype, device):
    total = int(sequence_length) + int(num_tokens)
    everything = Tensor.full(
        [int(sequence_length), total], float("-inf"), dtype=dtype, device=device
    )
    return F.band_part(everything, exclude=True, num_lower=None, num_upper=num_tokens.value)
