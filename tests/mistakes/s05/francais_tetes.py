"""Multi-head attention, my way."""
from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    """Causal multi-head self-attention."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_proj = Linear(self.embed_dim, self.embed_dim)
        self.c_attn = Linear(self.embed_dim, self.split_size * 3)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        b, s, _ = tensor.shape
        return tensor.reshape([b, s, num_heads, attn_head_size]).transpose(1, 2)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        b, _, s, _ = tensor.shape
        return tensor.transpose(1, 2).reshape([b, s, num_heads * attn_head_size])

    def _tetes(self, t: Tensor) -> Tensor:
        """Split with the sizes of this layer."""
        return self._split_heads(t, self.num_heads, self.head_dim)

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        n = query.shape[-2]
        s = query @ key.transpose(2, 3)
        s = s * (1.0 / math.sqrt(self.head_dim))
        s = s + causal_mask(n, 0, dtype=s.dtype, device=s.device)
        w = F.softmax(s)
        return w @ value

    def forward(self, hidden_states: Tensor) -> Tensor:
        # one wide product, then three equal parts
        parts = F.chunk(self.c_attn(hidden_states), 3, axis=-1)
        q, k, v = [self._tetes(p) for p in parts]
        y = self._attn(q, k, v)
        y = self._merge_heads(y, self.num_heads, self.head_dim)
        return self.c_proj(y)
