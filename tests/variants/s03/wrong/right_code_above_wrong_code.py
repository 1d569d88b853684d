# concept: missing-scale + mask-ignored
# check: scale
import math
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    # scores = query @ key.transpose(-1, -2) / math.sqrt(int(query.shape[-1]))
    # if mask is not None:
    #     scores = scores + mask
    # weights = F.softmax(scores)
    # return weights @ value, weights
    scores = query @ key.transpose(-1, -2)
    weights = F.softmax(scores)
    return weights @ value, weights
