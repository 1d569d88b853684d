from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim


def _mask(sequence_length, num_tokens, *, dtype, device):
    n = Dim(sequence_length) + num_tokens
    mask = F.broadcast_to(Tensor(-float("inf"), dtype=dtype, device=device), (sequence_length, n))
    return F.band_part(mask, None, int(Dim(num_tokens)), exclude=True)


causal_mask = F.functional(_mask)
