# concept: missing-scale
# check: scale
import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(q, k, v, mask=None):
    s = q @ k.transpose(-1, -2)
    if mask is not None:
        s = s + mask
    w = F.softmax(s)
    return w @ v, w
