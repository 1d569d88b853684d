import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-1, -2)
    scores = scores / math.sqrt(int(query.shape[-1]))
    if mask is not None:
        low = Tensor(float("-inf"), dtype=scores.dtype, device=scores.device)
        scores = F.where(mask < -1e6, low, scores + mask)
    weights = F.softmax(scores)
    output = weights @ value
    return output, weights
