import math

from max.experimental import functional as F
from max.experimental import nn, random
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config


class Dense(nn.Module):
    """My own linear layer: weight [out, in] and bias [out], as MAX's Linear has them."""

    def __init__(self, inputs: int, outputs: int):
        self.weight = random.normal([outputs, inputs])
        self.bias = Tensor.zeros([outputs])

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight.transpose(0, 1) + self.bias


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    s, t = int(sequence_length), int(num_tokens)
    if s == 1:
        return Tensor.zeros([1, t + 1], dtype=dtype, device=device)
    mask = Tensor.full([s, s + t], float("-inf"), dtype=dtype, device=device)
    return F.band_part(mask, num_lower=None, num_upper=t, exclude=True)


class GPT2MultiHeadAttention(nn.Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Dense(self.embed_dim, 3 * self.embed_dim)
        self.c_proj = Dense(self.embed_dim, self.embed_dim)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]
        return tensor.reshape(new_shape).transpose(-3, -2)

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        tensor = tensor.transpose(-3, -2)
        return tensor.reshape(tensor.shape[:-2] + [num_heads * attn_head_size])

    def _attn(self, query, key, value):
        scores = query @ key.transpose(-1, -2) / math.sqrt(int(value.shape[-1]))
        scores = scores + causal_mask(query.shape[-2], 0, dtype=query.dtype, device=query.device)
        return F.softmax(scores) @ value

    def __call__(self, hidden_states):
        query, key, value = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=2)
        query = self._split_heads(query, self.num_heads, self.head_dim)
        key = self._split_heads(key, self.num_heads, self.head_dim)
        value = self._split_heads(value, self.num_heads, self.head_dim)
        attn_output = self._attn(query, key, value)
        return self.c_proj(self._merge_heads(attn_output, self.num_heads, self.head_dim))
