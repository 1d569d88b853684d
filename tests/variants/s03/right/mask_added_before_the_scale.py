import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-1, -2)
    if mask is not None:
        scores = scores + mask * math.sqrt(int(query.shape[-1]))  # which is divided below
    scores = scores / math.sqrt(int(query.shape[-1]))
    weights = F.softmax(scores)
    return weights @ value, weights
