# concept: embed-dim
# check: split-qkv, split-sizes, embed-dim, forward
import math
from max.experimental import functional as F
from max.experimental.nn import Module, Linear
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)
        self.embed_dim = 3 * self.embed_dim

    def _split_heads(self, tensor, num_heads, attn_head_size):
        new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]
        tensor = tensor.reshape(new_shape)
        return tensor.transpose(-2, -3)

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        tensor = tensor.transpose(1, 2)
        new_shape = tensor.shape[:-2] + [num_heads * attn_head_size]
        return tensor.reshape(new_shape)

    def _attn(self, query, key, value):
        root = math.sqrt(int(query.shape[-1]))
        attn_weights = (query / root) @ key.transpose(2, 3)
        seq_len = key.shape[-2]
        attn_weights = causal_mask(seq_len, 0, dtype=query.dtype, device=query.device) + attn_weights
        attn_weights = F.softmax(attn_weights, -1)
        return attn_weights @ value

    def __call__(self, hidden_states):
        # no F.split needed, slicing does it
        qkv = self.c_attn(hidden_states)
        e = self.embed_dim
        query = qkv[:, :, :e]
        key = qkv[:, :, e : 2 * e]
        value = qkv[:, :, 2 * e :]
        query = self._split_heads(query, self.num_heads, self.head_dim)
        key = self._split_heads(key, self.num_heads, self.head_dim)
        value = self._split_heads(value, self.num_heads, self.head_dim)
        attn_output = self._attn(query, key, value)
        attn_output = self._merge_heads(attn_output, self.num_heads, self.head_dim)
        return self.c_proj(attn_output)
