# concept: softmax-twice
# check: softmax, numbers
import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None, *, dropout=0.0, scale=None):
    """Like PyTorch's. dropout does nothing here."""
    if scale is None:
        scale = 1 / math.sqrt(int(query.shape[-1]))
    scores = query @ key.transpose(-1, -2) * scale
    if mask is not None:
        scores = scores + mask
    weights = F.softmax(F.softmax(scores))
    if dropout:
        raise NotImplementedError
    return weights @ value, weights
