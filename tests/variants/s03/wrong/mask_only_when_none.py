# concept: mask
# check: runs, mask
import math
import max.experimental.functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    dims = list(range(key.rank))
    dims[-1], dims[-2] = dims[-2], dims[-1]
    attn = query @ key.permute(dims)
    attn = attn / math.sqrt(int(key.shape[-1]))
    if mask is not None:
        pass
    else:
        attn = attn + mask
    attn = F.softmax(attn)
    return attn @ value, attn
