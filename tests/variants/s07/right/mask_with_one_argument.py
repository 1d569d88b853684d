import math

import max.experimental.functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor


def causal_mask(scores):
    """From the scores themselves: their size, dtype and device."""
    n = scores.shape[-1]
    infinity = Tensor(float("-inf"), dtype=scores.dtype, device=scores.device)
    return F.band_part(infinity.broadcast_to([n, n]), None, 0, exclude=True)


class GPT2MultiHeadAttention(Module):
    def __init__(self, config):
        super().__init__()
        self.num_heads = config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.embed_dim = self.split_size = config.n_embd
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = Linear(config.n_embd, config.n_embd)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]
        return tensor.reshape(new_shape).permute([0, 2, 1, 3])

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        tensor = tensor.permute([0, 2, 1, 3])
        return F.flatten(tensor, start_dim=2)

    def _attn(self, query, key, value):
        scores = (query * self.head_dim**-0.5) @ key.transpose(-1, -2)
        return F.softmax(scores + causal_mask(scores)) @ value

    def forward(self, hidden_states):
        parts = F.chunk(self.c_attn(hidden_states), 3, axis=2)
        query, key, value = (self._split_heads(p, self.num_heads, self.head_dim) for p in parts)
        out = self._merge_heads(self._attn(query, key, value), self.num_heads, self.head_dim)
        return self.c_proj(out)
