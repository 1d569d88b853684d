"""GPT-2 attention, functional style."""

from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask

swap_seq_and_heads = lambda t: F.permute(t, [0, 2, 1, 3])
transpose_last = lambda t: t.transpose(-2, -1)


class GPT2Attention(Module):
    """Causal multi-head self-attention."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        dense = lambda fan_in, fan_out: Linear(fan_in, fan_out, bias=True)
        self.c_attn = dense(self.embed_dim, self.embed_dim * 3)
        self.c_proj = dense(self.embed_dim, self.embed_dim)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        batch, seq, _ = tensor.shape
        return swap_seq_and_heads(tensor.reshape([batch, seq, num_heads, attn_head_size]))

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        batch, _, seq, _ = tensor.shape
        return swap_seq_and_heads(tensor).reshape([batch, seq, num_heads * attn_head_size])

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        scale = 1.0 / math.sqrt(self.head_dim)
        logits = (query * scale) @ transpose_last(key)
        bias = causal_mask(query.shape[2], 0, dtype=query.dtype, device=query.device)
        probs = F.softmax(logits + bias, axis=-1)
        return F.matmul(probs, value)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        to_heads = lambda t: self._split_heads(t, self.num_heads, self.head_dim)
        qkv = self.c_attn(hidden_states)
        q, k, v = (to_heads(part) for part in F.chunk(qkv, 3, axis=-1))
        context = self._attn(q, k, v)
        merged = self._merge_heads(context, self.num_heads, self.head_dim)
        return self.c_proj(merged)
