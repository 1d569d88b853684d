import math

import max.experimental.functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module[[Tensor], Tensor]):
    """I override forward, as the MAX docs say."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.split_size = config.n_embd
        self.c_attn = Linear(config.n_embd, config.n_embd * 3)
        self.c_proj = Linear(config.n_embd, config.n_embd)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        shape = list(tensor.shape[:-1]) + [num_heads, attn_head_size]
        return F.transpose(F.reshape(tensor, shape), 1, 2)

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        tensor = F.transpose(tensor, 1, 2)
        return F.reshape(tensor, list(tensor.shape[:2]) + [num_heads * attn_head_size])

    def _attn(self, query, key, value):
        scores = F.matmul(query, F.transpose(key, -2, -1))
        scores = F.div(scores, math.sqrt(self.head_dim))
        scores = F.add(
            scores,
            causal_mask(query.shape[2], 0, dtype=query.dtype, device=query.device),
        )
        return F.matmul(F.softmax(scores, axis=-1), value)

    def forward(self, hidden_states: Tensor) -> Tensor:
        qkv = self.c_attn(hidden_states)
        query, key, value = F.split(qkv, [self.split_size] * 3, axis=-1)
        query, key, value = (
            self._split_heads(t, self.num_heads, self.head_dim) for t in (query, key, value)
        )
        context = self._attn(query, key, value)
        context = self._merge_heads(context, self.num_heads, self.head_dim)
        return self.c_proj(context)

    __call__ = forward
