import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


NEGATIVE = -1e9


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = (query @ key.transpose(-2, -1)) / math.sqrt(int(key.shape[-1]))
    if mask is not None:
        hidden = Tensor.full(scores.shape, NEGATIVE, dtype=scores.dtype, device=scores.device)
        scores = F.where(mask < -1e6, hidden, scores + mask)
    weights = F.softmax(scores, -1)
    return (weights @ value, weights)
