from __future__ import annotations

import math

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

from solutions.solution_01 import GPT2Config


@F.functional
def causal_mask(
    sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device
) -> Tensor:
    total = Dim(sequence_length) + num_tokens
    neg_inf = Tensor(float("-inf"), dtype=dtype, device=device)
    full = F.broadcast_to(neg_inf, shape=(sequence_length, total))
    return F.band_part(full, num_lower=None, num_upper=int(Dim(num_tokens)), exclude=True)


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(config.n_embd, config.n_embd * 3)
        self.c_proj = Linear(config.n_embd, config.n_embd)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        B, T, _ = tensor.shape
        return tensor.reshape([B, T, num_heads, attn_head_size]).permute([0, 2, 1, 3])

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        B, _, T, _ = tensor.shape
        return tensor.permute([0, 2, 1, 3]).reshape([B, T, num_heads * attn_head_size])

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        scale = 1.0 / math.sqrt(self.head_dim)
        T = query.shape[2]
        scores = (query * scale) @ key.permute([0, 1, 3, 2])
        scores = scores + causal_mask(T, 0, dtype=scores.dtype, device=scores.device)
        probs = F.softmax(scores, axis=-1)
        out = probs @ value
        return out

    def forward(self, hidden_states: Tensor) -> Tensor:
        q, k, v = F.split(self.c_attn(hidden_states), self.split_size, axis=-1)
        q, k, v = (self._split_heads(t, self.num_heads, self.head_dim) for t in (q, k, v))
        y = self._attn(q, k, v)
        y = self._merge_heads(y, self.num_heads, self.head_dim)
        return self.c_proj(y)
