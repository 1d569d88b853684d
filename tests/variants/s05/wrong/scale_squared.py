# concept: scale-squared
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

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]
        return tensor.reshape(new_shape).transpose(-3, -2)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        tensor = tensor.transpose(-3, -2)
        new_shape = tensor.shape[:-2] + [num_heads * attn_head_size]
        return tensor.reshape(new_shape)

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        n = int(query.shape[-2])
        rows = Tensor.arange(n, dtype=DType.int32, device=query.device).unsqueeze(1)  # [n, 1]
        columns = Tensor.arange(n, dtype=DType.int32, device=query.device).unsqueeze(0)  # [1, n]
        scores = query @ key.transpose(-1, -2) / self.head_dim**2
        scores = F.where(columns <= rows, scores, -1e9)
        weights = F.softmax(scores)
        return weights @ value

    def __call__(self, hidden_states: Tensor) -> Tensor:
        q, k, v = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=-1)
        q = self._split_heads(q, self.num_heads, self.head_dim)
        k = self._split_heads(k, self.num_heads, self.head_dim)
        v = self._split_heads(v, self.num_heads, self.head_dim)
        a = self._attn(q, k, v)
        a = self._merge_heads(a, self.num_heads, self.head_dim)
        return self.c_proj(a)
