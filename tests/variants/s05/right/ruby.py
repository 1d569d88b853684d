"""Multi-head attention: many small methods, one thought per method."""

from __future__ import annotations

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim, self.split_size = self.embed_dim // self.num_heads, self.embed_dim
        self.c_attn = Linear(in_dim=self.embed_dim, out_dim=self.embed_dim * 3)
        self.c_proj = Linear(in_dim=self.embed_dim, out_dim=self.embed_dim)

    def forward(self, hidden_states: Tensor) -> Tensor:
        query, key, value = [self._to_heads(part) for part in self._parts(hidden_states)]
        mixed = self._attn(query, key, value)
        return self.c_proj(self._from_heads(mixed))

    # private

    def _parts(self, hidden_states: Tensor) -> list[Tensor]:
        return F.chunk(self.c_attn(hidden_states), 3, axis=-1)

    def _to_heads(self, part: Tensor) -> Tensor:
        return self._split_heads(part, self.num_heads, self.head_dim)

    def _from_heads(self, mixed: Tensor) -> Tensor:
        return self._merge_heads(mixed, self.num_heads, self.head_dim)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        *rest, _width = tensor.shape
        return tensor.reshape([*rest, num_heads, attn_head_size]).transpose(1, 2)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        by_token = tensor.transpose(1, 2)
        *rest, _heads, _size = by_token.shape
        return by_token.reshape([*rest, num_heads * attn_head_size])

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        query = query * self.head_dim**-0.5
        scores = query @ key.transpose(-2, -1)
        scores += self._mask_for(query)
        return F.softmax(scores) @ value

    def _mask_for(self, query: Tensor) -> Tensor:
        return causal_mask(query.shape[2], 0, dtype=query.dtype, device=query.device)
