# concept: mask-zeroed-after-softmax
# check: mask, masked, sums
import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-1, -2) / math.sqrt(int(query.shape[-1]))
    weights = F.exp(F.logsoftmax(scores))
    if mask is not None:
        weights = weights * F.exp(mask)
    return weights @ value, weights
