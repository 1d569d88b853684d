# concept: order-vqk
# check: qkv
from math import sqrt

from max.experimental.functional import softmax, split
from max.experimental.nn import Linear as Dense, Module as Layer
from max.experimental.tensor import Tensor as T
from solutions.solution_01 import GPT2Config as Config
import numpy as np
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    rows, before = int(sequence_length), int(num_tokens)
    mask = np.triu(np.full((rows, rows + before), -np.inf), k=before + 1)
    return Tensor(mask.astype(dtype.to_numpy()), dtype=dtype, device=device)


triangle = causal_mask


class GPT2MultiHeadAttention(Layer):
    def __init__(self, config: Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Dense(self.embed_dim, self.embed_dim + self.embed_dim + self.embed_dim)
        self.c_proj = Dense(self.embed_dim, self.embed_dim)

    def _split_heads(self, tensor: T, num_heads: int, attn_head_size: int) -> T:
        return tensor.reshape([*tensor.shape[:-1], num_heads, attn_head_size]).transpose(-3, -2)

    def _merge_heads(self, tensor: T, num_heads: int, attn_head_size: int) -> T:
        batch, heads, seq, size = tensor.shape
        return tensor.transpose(-3, -2).reshape([batch, seq, heads * size])

    def _attn(self, query: T, key: T, value: T) -> T:
        scores = query @ key.transpose(-1, -2)
        scores = scores / sqrt(int(query.shape[-1]))
        scores = scores + triangle(scores.shape[-1], 0, dtype=scores.dtype, device=scores.device)
        return softmax(scores) @ value

    def __call__(self, hidden_states: T) -> T:
        k, v, q = split(self.c_attn(hidden_states), [self.split_size] * 3, -1)
        q = self._split_heads(q, self.num_heads, self.head_dim)
        k = self._split_heads(k, self.num_heads, self.head_dim)
        v = self._split_heads(v, self.num_heads, self.head_dim)
        return self.c_proj(self._merge_heads(self._attn(q, k, v), self.num_heads, self.head_dim))
