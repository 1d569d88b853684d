# concept: mask-multiplied
# check: mask
import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-1, -2)  # [..., query_len, key_len]
    scores = scores / math.sqrt(int(query.shape[-1]))  # [..., query_len, key_len]
    if mask is not None:
        scores = scores * mask
    weights = F.softmax(scores)  # [..., query_len, key_len]
    output = weights @ value  # [..., query_len, value_dim]
    return output, weights
