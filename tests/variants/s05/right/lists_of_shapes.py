from __future__ import annotations

import contextlib
import math
from typing import NamedTuple

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class QKV(NamedTuple):
    query: Tensor
    key: Tensor
    value: Tensor


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        match list(tensor.shape):
            case [batch, seq, _]:
                tensor = tensor.reshape([batch, seq, num_heads, attn_head_size])
            case other:
                raise ValueError(f"expected three axes, got {other}")
        return tensor.transpose(1, 2)

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        shape = list(tensor.transpose(1, 2).shape)
        shape[-2:] = [num_heads * attn_head_size]
        return tensor.transpose(1, 2).reshape(shape)

    def _attn(self, query, key, value):
        with contextlib.suppress(KeyError):
            scores = query @ key.transpose(-1, -2)
            scores = scores / math.sqrt(self.head_dim)
            scores += causal_mask(query.shape[-2], 0, dtype=query.dtype, device=query.device)
            return F.softmax(scores) @ value
        raise AssertionError("unreachable")

    def heads(self, hidden_states) -> QKV:
        it = iter(F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=2))
        return QKV(**{
            name: self._split_heads(next(it), self.num_heads, self.head_dim)
            for name in ("query", "key", "value")
        })

    def __call__(self, hidden_states):
        qkv = self.heads(hidden_states)
        out = self._attn(qkv.query, qkv.key, qkv.value)
        return self.c_proj(self._merge_heads(out, self.num_heads, self.head_dim))
