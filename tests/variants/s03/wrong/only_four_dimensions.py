# concept: runs
# check: runs
import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    batch, heads, _, _ = query.shape
    lead = [batch, heads]
    n, d = query.shape[-2], query.shape[-1]
    m, width = key.shape[-2], value.shape[-1]
    q = query.reshape([-1, n, d])
    k = key.reshape([-1, m, d])
    v = value.reshape([-1, m, width])
    scores = q @ k.transpose(-1, -2) / math.sqrt(int(d))
    scores = scores.reshape(lead + [n, m])
    if mask is not None:
        scores = scores + mask
    weights = F.softmax(scores)
    output = weights.reshape([-1, n, m]) @ v
    return output.reshape(lead + [n, width]), weights
