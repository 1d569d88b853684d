# concept: returns
# check: output, returns, pair
import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    return (
        w := F.softmax(
            query @ key.transpose(-1, -2) / math.sqrt(int(query.shape[-1])) + (mask if mask is not None else 0.0)
        )
    )
