# concept: import-tensor
# check: import-tensor, runs
import math
from max.experimental import functional as F


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-1, -2) / math.sqrt(int(query.shape[-1]))
    if mask is not None:
        low = Tensor(float("-inf"), dtype=scores.dtype, device=scores.device)
        scores = F.where(mask < 0, low, scores)
    weights = F.softmax(scores)
    return weights @ value, weights
