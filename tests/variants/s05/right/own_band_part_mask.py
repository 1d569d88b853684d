import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        b, s = tensor.shape[0], tensor.shape[1]
        return tensor.reshape((b, s, num_heads, attn_head_size)).transpose(1, 2)

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        b, s = tensor.shape[0], tensor.shape[2]
        return tensor.transpose(1, 2).reshape((b, s, num_heads * attn_head_size))

    def _attn(self, query, key, value):
        seq_len = query.shape[-2]
        # my own mask: -inf strictly above the diagonal
        inf = Tensor(float("-inf"), dtype=query.dtype, device=query.device)
        inf = F.broadcast_to(inf, [seq_len, seq_len])
        mask = F.band_part(inf, num_lower=None, num_upper=0, exclude=True)
        logits = (query @ key.transpose(-1, -2)) / math.sqrt(self.head_dim)
        return F.softmax(logits + mask) @ value

    def __call__(self, hidden_states):
        query, key, value = F.split(
            self.c_attn(hidden_states),
            [self.split_size, self.split_size, self.split_size],
            axis=2,
        )
        query = self._split_heads(query, self.num_heads, self.head_dim)
        key = self._split_heads(key, self.num_heads, self.head_dim)
        value = self._split_heads(value, self.num_heads, self.head_dim)
        attn_output = self._attn(query, key, value)
        attn_output = self._merge_heads(attn_output, self.num_heads, self.head_dim)
        return self.c_proj(attn_output)
