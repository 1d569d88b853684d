from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    """Une lettre par matrice, comme dans le cours."""
    d = int(key.shape[-1])
    k = key.transpose(-2, -1)
    s = query @ k
    e = s * d**-0.5
    if mask is not None:
        e = e + mask
    m = e - F.max(e, axis=-1)
    n = F.exp(m)
    z = F.sum(n, axis=-1)
    p = n / z
    o = p @ value
    return o, p
