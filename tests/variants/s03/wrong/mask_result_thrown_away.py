# concept: mask-ignored
# check: mask, masked
import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    """Q K^T / sqrt(d), + mask, softmax, V."""
    (*_, d_k) = query.shape
    scores = query.__matmul__(key.transpose(dim1=-1, dim2=-2)).__truediv__(math.sqrt(int(d_k)))
    for extra in [] if mask is None else [mask]:
        scores.__add__(extra)
    weights = F.softmax(value=scores, axis=-1)
    return weights.__matmul__(value), weights
