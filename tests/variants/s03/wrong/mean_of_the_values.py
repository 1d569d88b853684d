# concept: uniform-weights + mask-ignored
# check: scores, numbers
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    lead = list(query.shape[:-2])
    n, m = query.shape[-2], key.shape[-2]
    weights = Tensor.full(lead + [n, m], 1 / int(m), dtype=query.dtype, device=query.device)
    return weights @ value, weights
