# concept: scale-sqrt-query-len
# check: scale
import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


from max.dtype import DType


def scaled_dot_product_attention(query, key, value, mask=None):
    q, k, v = (t.cast(DType.float64) for t in (query, key, value))
    scores = (q @ k.transpose(-1, -2)) / math.sqrt(int(q.shape[-2]))
    if mask is not None:
        scores = scores + mask.cast(DType.float64)
    weights = F.softmax(scores)
    output = weights @ v
    return output.cast(query.dtype), weights.cast(query.dtype)
