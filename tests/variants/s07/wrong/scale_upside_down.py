# concept: scale
# check: scale, numbers, shape, repeats, causal
import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config


class Projection(Linear):
    """A Linear with a bias, always."""

    def __init__(self, width: int, times: int = 1):
        super().__init__(width, times * width, bias=True)


MINUS_INFINITY = float("-inf")


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    sequence_length = int(sequence_length)
    num_tokens = int(num_tokens)
    rows = []
    for i in range(sequence_length):
        row = []
        for j in range(num_tokens + sequence_length):
            if j <= num_tokens + i:
                row.append(0.0)
            else:
                row.append(MINUS_INFINITY)
        rows.append(row)
    return Tensor(rows, dtype=dtype, device=device)


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Projection(self.embed_dim, times=3)
        self.c_proj = Projection(self.embed_dim)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]
        return tensor.reshape(new_shape).transpose(-3, -2)

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        tensor = tensor.transpose(-3, -2)
        return tensor.reshape(tensor.shape[:-2] + [num_heads * attn_head_size])

    def _attn(self, query, key, value):
        attn_weights = query @ key.transpose(-1, -2)
        attn_weights = math.sqrt(int(value.shape[-1])) / attn_weights
        attn_weights += causal_mask(
            query.shape[-2], 0, dtype=query.dtype, device=query.device
        )
        attn_weights = F.softmax(attn_weights)
        attn_weights @= value
        return attn_weights

    def __call__(self, hidden_states):
        query, key, value = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=2)
        query = self._split_heads(query, self.num_heads, self.head_dim)
        key = self._split_heads(key, self.num_heads, self.head_dim)
        value = self._split_heads(value, self.num_heads, self.head_dim)
        attn_output = self._attn(query, key, value)
        return self.c_proj(self._merge_heads(attn_output, self.num_heads, self.head_dim))
