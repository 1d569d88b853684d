# concept: scale-multiplied
# check: scale
import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


class _Attention:
    def __init__(self, head_dim):
        self.scale = math.sqrt(head_dim)

    def __call__(self, query, key, value, mask):
        scores = (query @ key.transpose(-1, -2)) * self.scale
        if mask is not None:
            scores = scores + mask
        weights = F.softmax(scores)
        return weights @ value, weights


def scaled_dot_product_attention(query, key, value, mask=None):
    return _Attention(int(query.shape[-1]))(query, key, value, mask)
