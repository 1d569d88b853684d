# concept: scale-head-dim
# check: scale
from max.experimental import functional as F


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = int(key.shape[-1])
    scores = (query @ key.transpose(-1, -2)) * d_k**-1.0
    if mask is not None:
        scores += mask
    weights = F.softmax(scores)
    output = weights @ value
    return output, weights
