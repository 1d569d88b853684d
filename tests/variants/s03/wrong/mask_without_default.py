# concept: mask
# check: runs, mask
from max.experimental import functional as F


def scaled_dot_product_attention(query, key, value, mask):
    w = F.softmax(
        (query * int(query.shape[-1]) ** -0.5) @ key.transpose(-1, -2)
        + (0 if mask is None else mask)
    )
    return w @ value, w
