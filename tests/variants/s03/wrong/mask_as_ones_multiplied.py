# concept: mask-zero
# check: mask, masked
import numpy as np
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-1, -2)
    scores = scores / float(np.sqrt(int(query.shape[-1])))
    scores = scores if mask is None else scores * F.exp(mask)
    weights = F.softmax(scores)
    return weights @ value, weights
