# concept: mask-after-softmax
# check: mask
import math

import max.experimental.functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.scale = 1 / math.sqrt(self.head_dim)
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        return F.transpose(
            F.reshape(tensor, tensor.shape[:-1] + [num_heads, attn_head_size]), -3, -2
        )

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        return F.flatten(F.transpose(tensor, -3, -2), start_dim=-2)

    def _attn(self, query, key, value):
        scores = query @ key.transpose(-1, -2)
        mask = causal_mask(query.shape[-2], 0, dtype=query.dtype, device=query.device)
        return (F.softmax(scores) + mask) @ value

    def __call__(self, hidden_states: Tensor) -> Tensor:
        query, key, value = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=2)
        query = query * self.scale  # scaled here, once, before the heads are split
        query = self._split_heads(query, self.num_heads, self.head_dim)
        key = self._split_heads(key, self.num_heads, self.head_dim)
        value = self._split_heads(value, self.num_heads, self.head_dim)
        attn_output = self._attn(query, key, value)
        attn_output = self._merge_heads(attn_output, self.num_heads, self.head_dim)
        return self.c_proj(attn_output)
