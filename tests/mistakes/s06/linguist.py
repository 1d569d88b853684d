"""Step 06: word order as turning pairs. Every function does one thing."""

from __future__ import annotations

# numbers that never change are kept by NumPy
import numpy as np

# the operations, the layer and the tensor of MAX
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

# what the earlier lessons gave us
from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


def pair_indices(d_k):
    # 0, 1, 2, ... one number for each pair
    return np.arange(d_k // 2)


def pair_speeds(d_k, theta):
    # how far along the scale each pair is
    fraction = 2 * pair_indices(d_k) / d_k
    # fast pairs first, slow pairs last
    return 1.0 / theta**fraction


def all_angles(d_k, max_seq_len, theta):
    # the places in a sentence, counted from 0
    places = np.arange(max_seq_len)
    # one row for each place, one column for each pair
    return places[:, None] * pair_speeds(d_k, theta)[None, :]


def rounded(table):
    # a table in the precision of the model
    return table.astype(np.float32)


def row_of(table, places, like):
    # NumPy's table becomes a tensor
    as_tensor = Tensor(table, dtype=like.dtype, device=like.device)
    # one row for each place
    return F.gather(as_tensor, places, axis=0)


def first_of_pairs(x):
    # features 0, 2, 4, ...
    return x[..., ::2]


def second_of_pairs(x):
    # features 1, 3, 5, ...
    return x[..., 1::2]


def turn_first(a, b, cos, sin):
    # the coordinate to the right
    return a * cos - b * sin


def turn_second(a, b, cos, sin):
    # the coordinate upwards
    return a * sin + b * cos


def zipped(a, b, shape):
    # partners stand next to each other
    side_by_side = F.stack([a, b], axis=-1)
    # and the pairs form one vector again
    return side_by_side.reshape(shape)


class RotaryEmbedding(Module):
    """Turns each pair of neighbours by an angle that depends on the place."""

    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        # Module keeps its own records
        super().__init__()
        # angles of every place
        angles = all_angles(d_k, max_seq_len, theta)
        # plain arrays, so that they are not weights
        self.cos = rounded(np.cos(angles))
        self.sin = rounded(np.sin(angles))

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        # the cosine of every word
        cos = row_of(self.cos, token_positions, x)
        # the sine of every word
        sin = row_of(self.sin, token_positions, x)
        # both partners of every pair
        a = first_of_pairs(x)
        b = second_of_pairs(x)
        # turn both
        new_a = turn_first(a, b, cos, sin)
        new_b = turn_second(a, b, cos, sin)
        # back to one vector
        return zipped(new_a, new_b, x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    """Each word listens to the words before it, and knows how far away they are."""

    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        # Module keeps its own records
        super().__init__()
        # width of a word
        self.d_model = d_model
        # number of listeners
        self.num_heads = num_heads
        # width of one listener
        self.d_k = d_model // num_heads
        # the turning
        self.rope = RotaryEmbedding(self.d_k, max_seq_len, theta)

    def _split_heads(self, x: Tensor) -> Tensor:
        # everything but the width
        leading = list(x.shape[:-1])
        # cut the width
        cut = x.reshape([*leading, self.num_heads, self.d_k])
        # listeners before words
        return cut.transpose(-2, -3)

    def _merge_heads(self, x: Tensor) -> Tensor:
        # words before listeners
        swapped = x.transpose(-2, -3)
        # everything but listener and width
        leading = list(swapped.shape[:-2])
        # glue the listeners together
        return swapped.reshape([*leading, self.d_model])

    def _project(self, words: Tensor, weight: Tensor) -> Tensor:
        # a weight is stored [out, in]
        return words @ weight.transpose(-1, -2)

    def _listeners(self, words: Tensor, weight: Tensor) -> Tensor:
        # project, then cut
        return self._split_heads(self._project(words, weight))

    def _future(self, query: Tensor) -> Tensor:
        # how many words
        length = query.shape[-2]
        # hide what has not been said yet
        return causal_mask(length, 0, dtype=query.dtype, device=query.device)

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        # the places need a dimension for the listeners
        places = token_positions.unsqueeze(-2)
        # what each word looks for, turned
        query = self.rope(self._listeners(in_features, q_proj_weight), places)
        # what each word offers, turned
        key = self.rope(self._listeners(in_features, k_proj_weight), places)
        # what each word says, not turned
        value = self._listeners(in_features, v_proj_weight)
        # listen
        heard, _ = scaled_dot_product_attention(query, key, value, self._future(query))
        # one vector for each word
        merged = self._merge_heads(heard)
        # the last projection
        return self._project(merged, o_proj_weight)
