import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    rows, mixed = [], []
    for i in range(int(query.shape[-2])):
        one = query[..., i : i + 1, :]
        scores = one @ key.transpose(-1, -2) / math.sqrt(int(query.shape[-1]))
        if mask is not None and len(mask.shape) == 1:
            scores = scores + mask
        elif mask is not None:
            scores = scores + mask[..., (i if int(mask.shape[-2]) > 1 else 0), :].unsqueeze(-2)
        w = F.softmax(scores)
        rows.append(w)
        mixed.append(w @ value)
    return F.concat(mixed, axis=-2), F.concat(rows, axis=-2)
