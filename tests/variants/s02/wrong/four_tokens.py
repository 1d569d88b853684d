# concept: shape
# check: shape, columns
import max.experimental.functional as F
from max.experimental.tensor import Tensor


@F.functional
def causal_mask(sequence_length, num_tokens, *, dtype, device):
    total = 4
    everything = Tensor.full(
        [4, total], float("-inf"), dtype=dtype, device=device
    )
    return F.band_part(everything, exclude=True, num_lower=None, num_upper=int(num_tokens))
