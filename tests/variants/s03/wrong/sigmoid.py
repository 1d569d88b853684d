# concept: softmax-sigmoid
# check: softmax, sums
import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    # scores = query @ key
    # scores = scores / int(query.shape[-1])
    scores = query @ key.transpose(-1, -2)  # was: key.transpose(0, 1)
    scores = scores / math.sqrt(int(query.shape[-1]))
    """
    scores = scores * mask
    """
    if mask is not None:
        scores = scores + mask
    # weights = F.softmax(scores, axis=0)
    weights = F.sigmoid(scores)
    return weights @ value, weights
