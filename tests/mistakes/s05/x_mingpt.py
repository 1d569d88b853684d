"""Step 05: CausalSelfAttention of minGPT, ported line by line."""

from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    """A vanilla multi-head masked self-attention layer with a projection at the end."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        assert config.n_embd % config.n_head == 0
        # key, query, value projections for all heads, but in a batch
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd)
        # output projection
        self.c_proj = Linear(config.n_embd, config.n_embd)
        # no dropout and no "bias" buffer: causal_mask makes it on the fly
        self.embed_dim = config.n_embd
        self.split_size = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = config.n_embd // config.n_head

    def __call__(self, hidden_states: Tensor) -> Tensor:
        # calculate query, key, values for all heads in batch and move head forward
        qkv = self.c_attn(hidden_states)  # (B, T, 3C)
        q, k, v = qkv.split(self.split_size, axis=2)
        q, k, v = (self._split_heads(t, self.num_heads, self.head_dim) for t in (q, k, v))

        y = self._attn(q, k, v)  # (B, nh, T, hs)
        # re-assemble all head outputs side by side
        y = self._merge_heads(y, self.num_heads, self.head_dim)
        return self.c_proj(y)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        B, T, _ = tensor.shape
        heads = tensor.reshape([B, T, num_heads, attn_head_size])
        return heads.permute([0, 2, 1, 3])  # (B, nh, T, hs)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        B, _, T, _ = tensor.shape
        y = tensor.transpose(1, 2)  # (B, T, nh, hs)
        return y.reshape([B, T, num_heads * attn_head_size])

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        # causal self-attention; Self-attend: (B, nh, T, hs) x (B, nh, hs, T) -> (B, nh, T, T)
        _, _, T, hs = query.shape
        att = (query @ key.transpose(-2, -1)) * (1.0 / math.sqrt(int(hs)))
        bias = causal_mask(T, 0, dtype=att.dtype, device=att.device)
        att = att + bias
        att = F.softmax(att, axis=-1)
        return att @ value  # (B, nh, T, T) x (B, nh, T, hs) -> (B, nh, T, hs)
