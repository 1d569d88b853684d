import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    rows = int(sequence_length)
    mask = Tensor.full([rows, rows + int(num_tokens)], float("-inf"), dtype=dtype, device=device)
    return F.band_part(mask, num_lower=None, num_upper=int(num_tokens), exclude=True)


class SelfAttention(Module):
    causal = False

    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]
        return tensor.reshape(new_shape).transpose(-3, -2)

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        tensor = tensor.transpose(-3, -2)
        return tensor.reshape(tensor.shape[:-2] + [num_heads * attn_head_size])

    def _attn(self, query, key, value):
        scores = query @ key.transpose(-1, -2) / math.sqrt(self.head_dim)
        if self.causal:
            scores += causal_mask(query.shape[-2], 0, dtype=query.dtype, device=query.device)
        return F.softmax(scores) @ value

    def __call__(self, hidden_states):
        q, k, v = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=-1)
        q, k, v = (self._split_heads(t, self.num_heads, self.head_dim) for t in (q, k, v))
        return self.c_proj(self._merge_heads(self._attn(q, k, v), self.num_heads, self.head_dim))


class GPT2MultiHeadAttention(SelfAttention):
    causal = True
