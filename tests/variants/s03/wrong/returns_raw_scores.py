# concept: returns-raw-scores
# check: returns, sums
import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def _scores(query, key):
    head_dim = int(query.shape[-1])
    return (query @ key.transpose(-1, -2)) / math.sqrt(head_dim)


def _masked(scores, mask):
    return scores if mask is None else scores + mask


def _mix(weights, value):
    return weights @ value


def scaled_dot_product_attention(query, key, value, mask=None):
    weights = F.softmax(_masked(_scores(query, key), mask))
    return _mix(weights, value), _scores(query, key)
