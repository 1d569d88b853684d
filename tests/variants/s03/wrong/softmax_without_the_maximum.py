# concept: softmax
# check: softmax, numbers
from max.experimental import functional
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    root = int(query.shape[-1]) ** 0.5
    e = functional.exp((query @ key.transpose(-1, -2)) / root)
    if mask is not None:
        # exp(score + mask) = exp(score) * exp(mask)
        e = e * functional.exp(mask)
    weights = e / functional.sum(e, axis=-1)
    return weights @ value, weights
