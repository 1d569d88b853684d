from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim

print("step two")


@F.functional
def causal_mask(sequence_length, num_tokens, *, dtype, device):
    print("causal_mask", sequence_length, num_tokens, dtype, device)
    n = Dim(sequence_length) + num_tokens
    mask = Tensor(float("-inf"), dtype=dtype, device=device)
    mask = F.broadcast_to(mask, shape=(sequence_length, n))
    mask = F.band_part(mask, num_lower=None, num_upper=int(Dim(num_tokens)), exclude=True)
    print(mask.shape)
    return mask
