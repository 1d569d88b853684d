"""Step 10: the attention layer of a serving engine. One request batch, one kv block per layer."""

from __future__ import annotations

import math

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding

KeyValue = tuple[Tensor, Tensor]
MAX_POSITIONS = 2048
THETA = 10000.0

SLOT_AXIS = 2  # kv block: [batch, num_heads, slots, head_dim]


def slots_in_use(kv_block: KeyValue | None) -> int:
    """How many token slots are filled."""
    if kv_block is None:
        return 0
    keys, _ = kv_block
    return keys.shape[SLOT_AXIS]


def append_to_block(kv_block: KeyValue | None, new_k: Tensor, new_v: Tensor) -> KeyValue:
    """A fresh block: old slots, then the new ones. The old block stays untouched."""
    if kv_block is None:
        return new_k, new_v
    old_k, old_v = kv_block
    k = F.concat([old_k, new_k], axis=SLOT_AXIS)
    v = F.concat([old_v, new_v], axis=SLOT_AXIS)
    return k, v


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
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.dropout = dropout  # serving never drops
        self.add_zero_attn = add_zero_attn
        if attention_scale is None:
            attention_scale = 1 / math.sqrt(self.head_dim)
        self.scale = attention_scale
        self.rotary: RotaryEmbedding | None = None
        if use_rotary:
            self.rotary = RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA)
        self.qkv_proj = Linear(hidden_size, hidden_size * 3, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)

    def _split_heads(self, tensor: Tensor) -> Tensor:
        batch, seq = tensor.shape[0], tensor.shape[1]
        per_head = tensor.reshape([batch, seq, self.num_heads, self.head_dim])
        return per_head.permute([0, 2, 1, 3])

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        batch, seq = tensor.shape[0], tensor.shape[2]
        return tensor.permute([0, 2, 1, 3]).reshape([batch, seq, self.hidden_size])

    def _slot_ids(self, first: int, count: int, like: Tensor) -> Tensor:
        """Absolute positions of the new tokens."""
        return F.range(first, first + count, dtype=DType.int64, device=like.device)

    def _softmax_with_sink(self, scores: Tensor, query: Tensor) -> Tensor:
        """One more logit of 0 per row; its weight is thrown away."""
        sink = F.zeros_like(query[:, :, :, 0:1])
        probs = F.softmax(F.concat([sink, scores], axis=-1))
        return probs[..., 1:]

    def _attn(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
    ) -> Tensor:
        scores = (query @ key.transpose(2, 3)) * self.scale
        for extra in (attention_mask, position_bias):
            if extra is not None:
                scores = scores + extra
        if not self.add_zero_attn:
            probs = F.softmax(scores)
        else:
            probs = self._softmax_with_sink(scores, query)
        return probs @ value

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        size = self.hidden_size
        q, k, v = F.split(self.qkv_proj(hidden_states), [size, size, size], axis=2)
        q = self._split_heads(q)
        k = self._split_heads(k)
        v = self._split_heads(v)

        if self.rotary is not None:
            filled = slots_in_use(past_key_value)
            slot_ids = self._slot_ids(filled, hidden_states.shape[1], q)
            q = self.rotary(q, slot_ids)
            k = self.rotary(k, slot_ids)

        kv_block = append_to_block(past_key_value, k, v)
        k, v = kv_block
        context = self._attn(q, k, v, attention_mask, position_bias)
        output = self.out_proj(self._merge_heads(context))
        if use_cache:
            return output, kv_block
        return output, None
