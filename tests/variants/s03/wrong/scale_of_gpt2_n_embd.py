# concept: scale
# check: scale, numbers
import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    print("query", query.shape)
    scores = query @ key.transpose(-1, -2)
    print("scores", scores.shape)
    scores = scores / math.sqrt(768)
    if mask is not None:
        print("mask", mask.shape)
        scores = scores + mask
    weights = F.softmax(scores)
    output = weights @ value
    print("output", output.shape)
    return output, weights
