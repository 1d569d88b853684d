from max.experimental import functional
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    root = int(query.shape[-1]) ** 0.5
    scores = (query @ key.transpose(-1, -2)) / root
    if mask is not None:
        scores = scores + mask
    e = functional.exp(scores - scores.max(axis=-1))
    weights = e / functional.sum(e, axis=-1)
    return weights @ value, weights
