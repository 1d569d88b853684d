from functools import reduce

from max.experimental import functional as F


def compose(*steps):
    return lambda start: reduce(lambda value, step: step(value), steps, start)


def compare_with(key):
    return lambda query: F.matmul(query, F.transpose(key, -2, -1))


def scale_by(width):
    return lambda scores: F.mul(scores, width**-0.5)


def hide(mask):
    if mask is None:
        return lambda scores: scores
    return lambda scores: F.add(scores, mask)


def scaled_dot_product_attention(query, key, value, mask=None):
    width = int(key.shape[-1])
    attend = compose(compare_with(key), scale_by(width), hide(mask), F.softmax)
    weights = attend(query)
    return F.matmul(weights, value), weights
