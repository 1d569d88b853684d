# concept: merge-reversed
# check: merge-transpose, merge-reshape, numbers, shape, repeats, causal
from __future__ import annotations

import math
from typing import TYPE_CHECKING

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
import numpy as np
from max.experimental.tensor import Tensor

if TYPE_CHECKING:
    from max.experimental.tensor import Tensor
    from solutions.solution_01 import GPT2Config


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    rows, before = int(sequence_length), int(num_tokens)
    mask = np.triu(np.full((rows, rows + before), -np.inf), k=before + 1)
    return Tensor(mask.astype(dtype.to_numpy()), dtype=dtype, device=device)


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim, rest = divmod(self.embed_dim, self.num_heads)
        assert rest == 0, "n_head must divide n_embd"
        self.split_size = self.embed_dim
        self.c_attn, self.c_proj = (
            Linear(self.embed_dim, 3 * self.embed_dim, bias=True),
            Linear(self.embed_dim, self.embed_dim, bias=True),
        )

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        size = attn_head_size
        heads = [
            tensor[..., i * size : (i + 1) * size].unsqueeze(1) for i in range(num_heads)
        ]
        return F.concat(heads, axis=1)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        heads = [tensor[:, i] for i in reversed(range(num_heads))]
        return F.concat(heads, axis=-1)

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        scale = 1.0 / math.sqrt(self.head_dim)
        mask = causal_mask(query.shape[-2], 0, dtype=query.dtype, device=query.device)
        scores = query @ (key * scale).transpose(-1, -2) + mask
        return F.softmax(scores) @ value

    def __call__(self, hidden_states: Tensor) -> Tensor:
        projected = self.c_attn(hidden_states)
        query, key, value = projected.split([self.split_size] * 3, axis=-1)
        query = self._split_heads(query, self.num_heads, self.head_dim)
        key = self._split_heads(key, self.num_heads, self.head_dim)
        value = self._split_heads(value, self.num_heads, self.head_dim)
        mixed = self._attn(query, key, value)
        return self.c_proj(self._merge_heads(mixed, self.num_heads, self.head_dim))
