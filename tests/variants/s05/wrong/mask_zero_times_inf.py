# concept: mask-zero-times-inf
# check: mask, output
import numpy as np
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
        new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]
        tensor = tensor.reshape(new_shape)
        return tensor.transpose(-3, -2)

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        tensor = tensor.transpose(-3, -2)
        new_shape = tensor.shape[:-2] + [num_heads * attn_head_size]
        return tensor.reshape(new_shape)

    def _attn(self, query, key, value):
        seq_len = int(query.shape[-2])
        # numpy is easier: upper triangle without the diagonal
        mask = np.triu(np.ones((seq_len, seq_len), dtype=np.float32), k=1) * np.float32("-inf")
        attn_weights = query @ key.transpose(-1, -2)
        attn_weights = attn_weights * float(1 / np.sqrt(self.head_dim))
        attn_weights = attn_weights + Tensor(mask, device=query.device)
        attn_weights = F.softmax(attn_weights)
        return attn_weights @ value

    def __call__(self, hidden_states):
        qkv = self.c_attn(hidden_states)
        query, key, value = F.split(qkv, self.split_size, axis=-1)
        query = self._split_heads(query, self.num_heads, self.head_dim)
        key = self._split_heads(key, self.num_heads, self.head_dim)
        value = self._split_heads(value, self.num_heads, self.head_dim)
        out = self._attn(query, key, value)
        out = self._merge_heads(out, self.num_heads, self.head_dim)
        return self.c_proj(out)
