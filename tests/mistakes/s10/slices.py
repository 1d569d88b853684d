"""Attention with options. Everything by slices."""

import math

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module

from solutions.solution_06 import RotaryEmbedding

LIMIT = 2048
BASE = 10000.0


class MultiHeadAttention(Module):
    def __init__(
        self,
        hidden_size,
        num_heads,
        dropout=0.1,
        bias=True,
        add_zero_attn=False,
        use_rotary=False,
        attention_scale=None,
    ):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.add_zero_attn = add_zero_attn
        self.use_rotary = use_rotary
        self.qkv_proj = Linear(hidden_size, 3 * hidden_size, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)
        if attention_scale is None:
            self.scale = 1 / math.sqrt(self.head_dim)
        else:
            self.scale = attention_scale
        if use_rotary:
            self.rotary = RotaryEmbedding(self.head_dim, LIMIT, BASE)

    def _heads(self, qkv, i):
        part = qkv[:, :, i * self.hidden_size : (i + 1) * self.hidden_size]
        part = part.reshape([part.shape[0], part.shape[1], self.num_heads, self.head_dim])
        return part.transpose(1, 2)

    def _scores(self, query, key, bias, mask):
        scores = query @ key.transpose(2, 3)
        scores = scores * self.scale
        if bias is not None:
            scores = scores + bias
        if mask is not None:
            scores = scores + mask
        return scores

    def _weights(self, scores, query):
        if self.add_zero_attn:
            zero = F.broadcast_to(query[:, :, :, :1] * 0, [*scores.shape[:3], 1])
            scores = F.concat([scores, zero], axis=3)
            return F.softmax(scores)[:, :, :, :-1]
        return F.softmax(scores)

    def __call__(
        self,
        hidden_states,
        attention_mask=None,
        position_bias=None,
        past_key_value=None,
        use_cache=False,
    ):
        qkv = self.qkv_proj(hidden_states)
        query, key, value = self._heads(qkv, 0), self._heads(qkv, 1), self._heads(qkv, 2)
        past_length = past_key_value[0].shape[2] if past_key_value is not None else 0
        if self.use_rotary:
            where = F.range(
                past_length, past_length + query.shape[2], dtype=DType.int64, device=query.device
            )
            query = self.rotary(query, where)
            key = self.rotary(key, where)
        if past_key_value is not None:
            past_key, past_value = past_key_value
            key = F.concat([past_key, key], axis=2)
            value = F.concat([past_value, value], axis=2)
        scores = self._scores(query, key, position_bias, attention_mask)
        mixed = self._weights(scores, query) @ value
        merged = mixed.transpose(1, 2).reshape(hidden_states.shape)
        output = self.out_proj(merged)
        if use_cache:
            return output, (key, value)
        return output, None
