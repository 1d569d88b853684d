# concept: mask
# check: mask, runs, masked, shapes
import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    return query @ value, None


def scaled_dot_product_attention(query, key, value, mask=None):  # noqa: F811
    scores = query @ key.transpose(-1, -2) / math.sqrt(int(query.shape[-1]))
    weights = F.softmax(scores)
    output = weights @ value
    if mask is not None:
        output = output + mask
    return output, weights
