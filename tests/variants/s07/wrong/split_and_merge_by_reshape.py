# concept: split-by-reshape + merge-by-reshape
# check: split-transpose, split-reshape, merge-transpose, merge-reshape
import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
import numpy as np


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    rows, before = int(sequence_length), int(num_tokens)
    mask = np.triu(np.full((rows, rows + before), -np.inf), k=before + 1)
    return Tensor(mask.astype(dtype.to_numpy()), dtype=dtype, device=device)


class GPT2MultiHeadAttention(Module):
    """Heads and batch share one axis, so that everything stays rank 3."""

    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        batch, seq, _ = map(int, tensor.shape)
        return tensor.reshape([batch * num_heads, seq, attn_head_size])

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        both, seq, _ = map(int, tensor.shape)
        return tensor.reshape([both // num_heads, seq, num_heads * attn_head_size])

    def _attn(self, query, key, value):
        weights = query @ key.transpose(1, 2) / math.sqrt(self.head_dim)
        weights = weights + causal_mask(
            query.shape[1], 0, dtype=query.dtype, device=query.device
        )
        return F.softmax(weights) @ value

    def __call__(self, hidden_states):
        q, k, v = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=2)
        q = self._split_heads(q, self.num_heads, self.head_dim)
        k = self._split_heads(k, self.num_heads, self.head_dim)
        v = self._split_heads(v, self.num_heads, self.head_dim)
        out = self._merge_heads(self._attn(q, k, v), self.num_heads, self.head_dim)
        return self.c_proj(out)
