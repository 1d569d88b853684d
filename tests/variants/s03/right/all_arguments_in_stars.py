import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(*tensors, mask=None):
    query, key, value = tensors[:3]
    if len(tensors) == 4:
        mask = tensors[3]
    scores = query @ key.transpose(-1, -2) / math.sqrt(int(query.shape[-1]))
    weights = F.softmax(scores if mask is None else scores + mask)
    return weights @ value, weights
