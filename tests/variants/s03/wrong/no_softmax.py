# concept: no-softmax
# check: softmax, sums
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = Tensor(float(int(query.shape[-1])), dtype=query.dtype, device=query.device)
    scores = query @ key.transpose(-1, -2) / F.sqrt(d_k)
    if mask is not None:
        scores = scores + mask
    weights = scores
    return weights @ value, weights
