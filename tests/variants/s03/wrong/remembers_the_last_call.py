# concept: numbers
# check: numbers, scale, softmax
import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor

_KEPT = []


def scaled_dot_product_attention(q, k, v, mask=None):
    s = q @ k.transpose(-1, -2) / math.sqrt(int(q.shape[-1]))
    if mask is not None:
        s = s + mask
    _KEPT.append(1)
    w = F.softmax(s * len(_KEPT))
    return w @ v, w
