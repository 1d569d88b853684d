"""Step 05: multi-head attention. Small functions first, the layer that calls them last."""

from __future__ import annotations

import math
from typing import NamedTuple

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask

BATCH, HEADS, SEQ, WIDTH = 0, 1, 2, 3  # axes of a tensor whose heads are split


class Projected(NamedTuple):
    """What c_attn makes, taken apart."""

    query: Tensor
    key: Tensor
    value: Tensor


def head_width(n_embd: int, n_head: int) -> int:
    """Width of one head. Fails now rather than with odd shapes later."""
    if n_head < 1:
        raise ValueError(f"n_head must be at least 1, got {n_head}")
    width, rest = divmod(n_embd, n_head)
    if rest != 0:
        raise ValueError(f"n_head {n_head} does not divide n_embd {n_embd}")
    return width


def take_apart(fused: Tensor, width: int) -> Projected:
    """[batch, seq, 3 * width] -> three times [batch, seq, width]."""
    parts = F.split(fused, [width] * 3, axis=-1)
    return Projected(*parts)


def swap_seq_and_heads(x: Tensor) -> Tensor:
    """[batch, a, b, width] -> [batch, b, a, width]. Its own inverse."""
    return F.permute(x, [BATCH, SEQ, HEADS, WIDTH])


def scores(query: Tensor, key: Tensor) -> Tensor:
    """Scaled products of all queries with all keys: [batch, heads, seq, seq]."""
    width = int(query.shape[WIDTH])
    products = F.matmul(query, F.transpose(key, SEQ, WIDTH))
    return products * (1.0 / math.sqrt(width))


def hide_future(table: Tensor) -> Tensor:
    """Add the causal mask to a table of scores. No token has a past outside the text."""
    seq_len = table.shape[SEQ]
    mask = causal_mask(seq_len, 0, dtype=table.dtype, device=table.device)
    return table + mask


class GPT2Attention(Module):
    """Causal multi-head self-attention."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = head_width(config.n_embd, config.n_head)
        self.split_size = config.n_embd
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = Linear(config.n_embd, config.n_embd)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        projected = take_apart(self.c_attn(hidden_states), self.split_size)
        q = self._split_heads(projected.query, self.num_heads, self.head_dim)
        k = self._split_heads(projected.key, self.num_heads, self.head_dim)
        v = self._split_heads(projected.value, self.num_heads, self.head_dim)

        mixed = self._attn(q, k, v)
        joined = self._merge_heads(mixed, self.num_heads, self.head_dim)
        return self.c_proj(joined)

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        masked = hide_future(scores(query, key))
        weights = F.softmax(masked, axis=-1)
        return F.matmul(weights, value)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        batch, seq, _ = tensor.shape
        cut = tensor.reshape([batch, seq, num_heads, attn_head_size])
        return swap_seq_and_heads(cut)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        back = swap_seq_and_heads(tensor)
        batch, seq = back.shape[0], back.shape[1]
        return back.reshape([batch, seq, num_heads * attn_head_size])
