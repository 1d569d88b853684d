# concept: mask-subtracted
# check: mask-function, mask
import abc
import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config
from max.experimental import functional


class _HeadTools:
    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]
        tensor = tensor.reshape(new_shape)
        return tensor.transpose(-3, -2)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        tensor = tensor.transpose(-3, -2)
        new_shape = tensor.shape[:-2] + [num_heads * attn_head_size]
        return tensor.reshape(new_shape)


class AttentionBase(_HeadTools, Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _mask(self, scores: Tensor) -> Tensor:
        raise NotImplementedError

    def _attn(self, query, key, value):
        scores = query @ key.transpose(-1, -2) / math.sqrt(int(value.shape[-1]))
        return F.softmax(scores + self._mask(scores)) @ value

    def forward(self, hidden_states):
        query, key, value = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=2)
        query = self._split_heads(query, self.num_heads, self.head_dim)
        key = self._split_heads(key, self.num_heads, self.head_dim)
        value = self._split_heads(value, self.num_heads, self.head_dim)
        out = self._attn(query, key, value)
        return self.c_proj(self._merge_heads(out, self.num_heads, self.head_dim))


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    s, t = int(sequence_length), int(num_tokens)
    m = functional.full((s, s + t), math.inf, dtype=dtype, device=device)
    return functional.band_part(m, None, t, exclude=True)


class GPT2MultiHeadAttention(AttentionBase):
    def _mask(self, scores: Tensor) -> Tensor:
        return causal_mask(scores.shape[-2], 0, dtype=scores.dtype, device=scores.device)
