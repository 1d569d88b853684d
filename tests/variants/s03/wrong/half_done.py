# concept: placeholders
# check: mask, softmax, placeholders, runs
import math
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-1, -2)
    scores = scores / math.sqrt(int(query.shape[-1]))

    # TODO: Add the mask to the scores, where one is given.
    pass

    weights = None
    output = None
    return None
