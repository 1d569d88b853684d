# concept: scale
# check: scale, numbers
import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-1, -2)
    if mask is not None:
        scores = scores + mask  # minus infinity stays minus infinity when divided
    weights = F.softmax(scores)
    return weights @ value / math.sqrt(int(query.shape[-1])), weights
