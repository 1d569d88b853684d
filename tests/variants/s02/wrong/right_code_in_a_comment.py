# concept: mask-all
# check: band
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim

FIRST_TRY = """
@F.functional
def causal_mask(sequence_length, num_tokens, *, dtype, device):
    return F.band_part(mask, num_lower=0, num_upper=None)
"""


def causal_mask(sequence_length):
    return None


@F.functional
def causal_mask(sequence_length, num_tokens, *, dtype, device):
    # n = None
    n = Dim(sequence_length) + num_tokens
    # mask = Tensor.ones(...)
    mask = Tensor(float("-inf"), dtype=dtype, device=device)
    mask = F.broadcast_to(mask, shape=(sequence_length, n))
    # return F.band_part(mask, num_lower=None, num_upper=1, exclude=False)
    if False:
        return mask
    # return F.band_part(mask, num_lower=None, num_upper=int(Dim(num_tokens)), exclude=True)
    return mask
