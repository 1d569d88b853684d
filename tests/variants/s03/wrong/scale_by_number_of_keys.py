# concept: scale-sqrt-seq
# check: scale
import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-1, -2) / math.sqrt(int(key.shape[-2]))
    if mask is not None:
        scores = scores + mask
    top = scores.max(axis=-1)
    powers = F.exp(scores - top)
    weights = powers / powers.sum(axis=-1)
    return weights @ value, weights
