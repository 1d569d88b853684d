"""Everything written the other way round: (Vᵀ Wᵀ)ᵀ, as I learned it with column vectors."""


import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
import numpy
from max.experimental import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    i = numpy.arange(int(sequence_length))[:, None] + int(num_tokens)
    j = numpy.arange(int(sequence_length) + int(num_tokens))[None, :]
    mask = numpy.where(j > i, float("-inf"), 0.0)
    return Tensor(mask.tolist(), dtype=dtype, device=device)


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        """[batch, seq, n_embd] -> columns [batch, n_head, head_dim, seq] -> rows."""
        columns = tensor.transpose(1, 2)
        columns = columns.reshape(
            [columns.shape[0], num_heads, attn_head_size, columns.shape[2]]
        )
        return columns.transpose(2, 3)

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        columns = tensor.transpose(2, 3)
        columns = columns.reshape(
            [columns.shape[0], num_heads * attn_head_size, columns.shape[3]]
        )
        return columns.transpose(1, 2)

    def _attn(self, query, key, value):
        scores = (key @ query.transpose(-2, -1)).transpose(-2, -1)
        scores = scores / math.sqrt(int(key.shape[-1]))
        scores = scores + causal_mask(key.shape[-2], 0, dtype=key.dtype, device=key.device)
        weights = F.softmax(scores).transpose(-1, -2)
        return (value.transpose(-1, -2) @ weights).transpose(-1, -2)

    def __call__(self, hidden_states):
        query, key, value = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=2)
        args = (self.num_heads, self.head_dim)
        query, key, value = [self._split_heads(t, *args) for t in (query, key, value)]
        return self.c_proj(self._merge_heads(self._attn(query, key, value), *args))
