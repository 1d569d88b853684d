from max.experimental import functional as F
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    s, t = int(sequence_length), int(num_tokens)
    keys_by_queries = Tensor.full([s + t, s], float("-inf"), dtype=dtype, device=device)
    keys_by_queries = F.band_part(keys_by_queries, num_lower=t, num_upper=None, exclude=True)
    return keys_by_queries.transpose(0, 1)
