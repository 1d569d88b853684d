# concept: mask-subtracted
# check: mask, masked, sums
import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


from typing import NamedTuple


class Attention(NamedTuple):
    output: Tensor
    weights: Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-1, -2) / math.sqrt(int(query.shape[-1]))
    if mask is not None:
        scores = scores - mask
    weights = F.softmax(scores)
    return Attention(output=weights @ value, weights=weights)
