import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config) -> None:
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
        return tensor.reshape(tensor.shape[:-2] + [num_heads * attn_head_size])

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        d = int(key.shape[-1])
        scores = F.sum(query.unsqueeze(3) * key.unsqueeze(2), axis=-1).squeeze(-1) / math.sqrt(d)
        scores = scores + causal_mask(query.shape[2], 0, dtype=query.dtype, device=query.device)
        return F.softmax(scores) @ value

    def __call__(self, hidden_states: Tensor) -> Tensor:
        n = self.split_size
        query, key, value = F.split(self.c_attn(hidden_states), [n, n, n], axis=-1)
        query = self._split_heads(query, self.num_heads, self.head_dim)
        key = self._split_heads(key, self.num_heads, self.head_dim)
        value = self._split_heads(value, self.num_heads, self.head_dim)
        attended = self._attn(query, key, value)
        attended = self._merge_heads(attended, self.num_heads, self.head_dim)
        return self.c_proj(attended)
