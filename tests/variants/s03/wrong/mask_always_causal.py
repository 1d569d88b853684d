# concept: mask-always-causal
# check: mask, numbers, masked
import math

from solutions.solution_02 import causal_mask

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(q, k, v, mask=None):
    s = q @ k.transpose(-1, -2) / math.sqrt(int(q.shape[-1]))
    n, m = s.shape[-2], s.shape[-1]
    s = s + causal_mask(n, int(m) - int(n) if int(m) > int(n) else 0, dtype=s.dtype, device=s.device)[:, : int(m)]
    w = F.softmax(s)
    return w @ v, w
