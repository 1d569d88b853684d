"""Dot-product attention, ported from my tf.keras notebook."""

from __future__ import annotations

from max.experimental import functional as F
from max.experimental.tensor import Tensor

SEQ_AXIS = -2
FEATURE_AXIS = -1


def swap_last_axes(x):
    # tf.linalg.matrix_transpose
    perm = list(range(x.rank))
    perm[SEQ_AXIS], perm[FEATURE_AXIS] = perm[FEATURE_AXIS], perm[SEQ_AXIS]
    return F.permute(x, perm)


def masked_softmax(logits, mask=None, axis=FEATURE_AXIS):
    # like keras.layers.Softmax, but the mask is additive
    if mask is None:
        return F.softmax(logits, axis=axis)
    return F.softmax(F.add(logits, mask), axis=axis)


def scaled_dot_product_attention(query, key, value, mask=None):
    key_dim = int(key.shape[FEATURE_AXIS])
    inverse_sqrt_key_dim = key_dim**-0.5

    # keras.layers.MultiHeadAttention scales the query, not the scores
    query = F.mul(query, inverse_sqrt_key_dim)
    logits = F.matmul(query, swap_last_axes(key))

    attention_scores = masked_softmax(logits, mask)
    attention_output = F.matmul(attention_scores, value)
    return attention_output, attention_scores
