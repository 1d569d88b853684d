# concept: scale-sqrt-n-head
# check: scale, output
import math

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    @staticmethod
    def _split_heads(tensor, num_heads, attn_head_size):
        new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]
        return tensor.reshape(new_shape).transpose(-3, -2)

    @staticmethod
    def _merge_heads(tensor, num_heads, attn_head_size):
        tensor = tensor.transpose(-3, -2)
        return tensor.reshape(tensor.shape[:-2] + [num_heads * attn_head_size])

    @classmethod
    def _attn(cls, query, key, value):
        n = int(query.shape[-2])
        position = F.arange(0, n, dtype=DType.int64, device=query.device)
        future = position.reshape([1, n]) > position.reshape([n, 1])
        scores = query @ key.transpose(-1, -2) / math.sqrt(int(query.shape[1]))
        minus_infinity = Tensor.full([n, n], float("-inf"), dtype=query.dtype, device=query.device)
        scores = F.where(F.broadcast_to(future, scores.shape), minus_infinity, scores)
        return F.softmax(scores) @ value

    def __call__(self, hidden_states):
        q, k, v = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=2)
        q = self._split_heads(q, self.num_heads, self.head_dim)
        k = self._split_heads(k, self.num_heads, self.head_dim)
        v = self._split_heads(v, self.num_heads, self.head_dim)
        return self.c_proj(self._merge_heads(self._attn(q, k, v), self.num_heads, self.head_dim))
