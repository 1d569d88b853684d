"""Attention, the way I would write it in Flax."""

from __future__ import annotations

import math
from functools import partial

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding

KeyValue = tuple[Tensor, Tensor]
MAX_POSITIONS = 2048
THETA = 10000.0


def plus(x, y=None):
    return x if y is None else x + y


def softmax_with_null(logits, q):
    null = F.sum(q, axis=-1) * 0.0
    p = F.softmax(F.concat([logits, null], axis=-1))
    return p[..., :-1]


def rotate_at(rope, start, *arrays):
    n = arrays[0].shape[-2]
    pos = F.range(start, start + n, dtype=DType.int64, device=arrays[0].device)
    return tuple(rope(a, pos) for a in arrays)


class MultiHeadAttention(Module):
    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        dropout: float = 0.1,
        bias: bool = True,
        add_zero_attn: bool = False,
        use_rotary: bool = False,
        attention_scale: float | None = None,
    ) -> None:
        super().__init__()
        dense = partial(Linear, bias=bias)
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.dropout = dropout
        self.add_zero_attn = add_zero_attn
        self.qkv_proj = dense(hidden_size, hidden_size * 3)
        self.out_proj = dense(hidden_size, hidden_size)
        if attention_scale is not None:
            self.scale = attention_scale
        else:
            self.scale = 1 / math.sqrt(self.head_dim)
        self.rotary: RotaryEmbedding | None = None
        if use_rotary:
            self.rotary = RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA)

    def _split_heads(self, tensor: Tensor) -> Tensor:
        b, t, _ = tensor.shape
        x = F.reshape(tensor, [b, t, self.num_heads, self.head_dim])
        return F.transpose(x, 1, 2)

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        x = F.transpose(tensor, 1, 2)
        b, t, h, d = x.shape
        return F.reshape(x, [b, t, h * d])

    def _attn(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
    ) -> Tensor:
        kT = F.transpose(key, -1, -2)
        logits = F.matmul(query, kT) * self.scale
        logits = plus(plus(logits, position_bias), attention_mask)
        if self.add_zero_attn:
            p = softmax_with_null(logits, query)
        else:
            p = F.softmax(logits)
        return F.matmul(p, value)

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        d = self.hidden_size
        qkv = self.qkv_proj(hidden_states)
        q = self._split_heads(qkv[..., :d])
        k = self._split_heads(qkv[..., d : 2 * d])
        v = self._split_heads(qkv[..., 2 * d :])

        start = 0
        if past_key_value is not None:
            start = past_key_value[0].shape[-2]
        if self.rotary:
            q, k = rotate_at(self.rotary, start, q, k)

        kv = (k, v)
        if past_key_value is not None:
            kv = tuple(F.concat(pair, axis=-2) for pair in zip(past_key_value, kv))

        y = self._attn(q, *kv, attention_mask, position_bias)
        y = self.out_proj(self._merge_heads(y))
        if not use_cache:
            kv = None
        return y, kv
