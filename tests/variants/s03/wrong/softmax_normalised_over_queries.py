# concept: softmax
# check: softmax, sums
import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-1, -2) / math.sqrt(int(query.shape[-1]))
    if mask is not None:
        scores = scores + mask
    top = scores.max(axis=-1)
    powers = F.exp(scores - top)
    weights = powers / powers.sum(axis=-2)
    return weights @ value, weights
