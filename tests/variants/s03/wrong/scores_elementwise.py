# concept: scores
# check: scores, runs
import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    # half of the scale on each side keeps both small
    part = math.sqrt(math.sqrt(int(query.shape[-1])))
    scores = (query / part) * (key / part)
    if mask is not None:
        scores = scores + mask
    weights = F.softmax(scores)
    output = weights @ value
    return output, weights
