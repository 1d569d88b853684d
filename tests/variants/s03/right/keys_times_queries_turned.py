import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = (key @ query.transpose(-1, -2)).transpose(-1, -2)
    scores = scores / math.sqrt(int(query.shape[-1]))
    if mask is not None:
        scores = scores + mask
    weights = F.softmax(scores)
    return weights @ value, weights
