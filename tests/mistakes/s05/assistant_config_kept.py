from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.width = config.n_embd
        self.c_attn = Linear(self.width, 3 * self.width, bias=True)
        self.c_proj = Linear(self.width, self.width, bias=True)

    @property
    def head_dim(self) -> int:
        return self.width // self.config.n_head

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        parts = [
            tensor[:, :, i * attn_head_size : (i + 1) * attn_head_size] for i in range(num_heads)
        ]
        return F.stack(parts, axis=1)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        per_head = [tensor[:, i] for i in range(num_heads)]
        return F.concat(per_head, axis=-1)

    def _scores(self, query: Tensor, key: Tensor) -> Tensor:
        dots = query @ key.transpose(-2, -1)
        return dots / math.sqrt(self.head_dim)

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        scores = self._scores(query, key)
        length = scores.shape[-1]
        hide = causal_mask(length, 0, dtype=scores.dtype, device=scores.device)
        shifted = scores + hide
        shifted = shifted - F.max(shifted, axis=-1)
        powers = F.exp(shifted)
        weights = powers / F.sum(powers, axis=-1)
        return weights @ value

    def __call__(self, hidden_states: Tensor) -> Tensor:
        qkv = self.c_attn(hidden_states)
        w = self.width
        heads = self.config.n_head
        query = self._split_heads(qkv[:, :, :w], heads, self.head_dim)
        key = self._split_heads(qkv[:, :, w : 2 * w], heads, self.head_dim)
        value = self._split_heads(qkv[:, :, 2 * w :], heads, self.head_dim)
        mixed = self._attn(query, key, value)
        merged = self._merge_heads(mixed, heads, self.head_dim)
        return self.c_proj(merged)
