import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    s, t = int(sequence_length), int(num_tokens)
    mask = Tensor.full([s, s + t], float("-inf"), dtype=dtype, device=device)
    return F.band_part(mask, -1, t, exclude=True)


class GPT2MultiHeadAttention(Module):
    """Heads are split once, on the whole projection, before query, key and value are parted."""

    def __init__(self, config):
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
        weights = query @ key.transpose(-1, -2) / math.sqrt(self.head_dim)
        mask = causal_mask(query.shape[-2], 0, dtype=query.dtype, device=query.device)
        return F.softmax(weights + mask) @ value

    def __call__(self, hidden_states):
        qkv = self._split_heads(self.c_attn(hidden_states), 3 * self.num_heads, self.head_dim)
        query, key, value = F.split(qkv, [self.num_heads] * 3, axis=1)
        out = self._attn(query, key, value)
        return self.c_proj(self._merge_heads(out, self.num_heads, self.head_dim))
