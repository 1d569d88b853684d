# concept: output
# check: mask, output, seq-len
import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor


class GPT2Attention(Module):
    """Each position gets only the keys that it may see, so no mask is needed."""

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
        rows = []
        for i in range(int(query.shape[-2])):
            q = query[:, :, i : i + 1]  # [batch, n_head, 1, head_dim]
            k = key[:, :, : max(i, 1)]
            v = value[:, :, : max(i, 1)]
            w = F.softmax(q @ k.transpose(-1, -2) / math.sqrt(self.head_dim))
            rows.append(w @ v)
        return F.concat(rows, axis=2)

    def __call__(self, hidden_states):
        q, k, v = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=2)
        q = self._split_heads(q, self.num_heads, self.head_dim)
        k = self._split_heads(k, self.num_heads, self.head_dim)
        v = self._split_heads(v, self.num_heads, self.head_dim)
        return self.c_proj(self._merge_heads(self._attn(q, k, v), self.num_heads, self.head_dim))
