# Tries: right code in a class that lies about equality, text and attributes.
# Holds: An honest pass: the numbers are right.
# Verdict: pass
# Says: tried
import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        return tensor.reshape(tensor.shape[:-1] + [num_heads, attn_head_size]).transpose(-3, -2)

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        tensor = tensor.transpose(-3, -2)
        return tensor.reshape(tensor.shape[:-2] + [num_heads * attn_head_size])

    def _attn(self, query, key, value):
        scores = query @ key.transpose(-1, -2) / math.sqrt(int(value.shape[-1]))
        mask = causal_mask(query.shape[-2], 0, dtype=query.dtype, device=query.device)
        return F.softmax(scores + mask) @ value

    def forward(self, hidden_states):
        parts = F.split(self.c_attn(hidden_states), [self.embed_dim] * 3, axis=-1)
        query, key, value = (self._split_heads(p, self.num_heads, self.head_dim) for p in parts)
        mixed = self._attn(query, key, value)
        return self.c_proj(self._merge_heads(mixed, self.num_heads, self.head_dim))


GPT2Attention.__repr__ = GPT2Attention.__str__ = lambda self: "\x1b[2J🎉"
GPT2Attention.__eq__ = lambda self, other: True
GPT2Attention.__hash__ = lambda self: 0
print("tried")
