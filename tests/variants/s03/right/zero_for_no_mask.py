import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    if mask is None:
        mask = 0.0
    scores = query @ key.transpose(-1, -2)
    scores = scores / math.sqrt(int(query.shape[-1]))
    scores = mask + scores
    weights = F.softmax(scores)
    output = weights @ value
    return output, weights
