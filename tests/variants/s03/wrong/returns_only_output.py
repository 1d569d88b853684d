# concept: returns
# check: returns, pair
import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    query = query / math.sqrt(int(query.shape[-1]))
    scores = query @ key.transpose(-2, -1)
    if mask is not None:
        scores = scores + mask
    weights = F.softmax(scores, axis=-1)
    return weights @ value
