"""Step 10: attention with every option, and a save game (KV cache)."""

from __future__ import annotations

from typing import NamedTuple

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding

KeyValue = tuple[Tensor, Tensor]

MAX_POSITIONS = 2048
THETA = 10000.0

BATCH_AXIS, HEAD_AXIS, TOKEN_AXIS, FEATURE_AXIS = 0, 1, 2, 3


class Heads(NamedTuple):
    """Query, key and value of the new tokens."""

    query: Tensor
    key: Tensor
    value: Tensor


class CacheView:
    """Read-only wrapper of a cache that may be missing."""

    def __init__(self, saved: KeyValue | None) -> None:
        self.saved = saved

    def token_count(self):
        if self.saved is None:
            return 0
        keys, _ = self.saved
        return keys.shape[TOKEN_AXIS]

    def extend(self, key: Tensor, value: Tensor) -> KeyValue:
        if self.saved is None:
            return key, value
        old_key, old_value = self.saved
        return (
            F.concat([old_key, key], axis=TOKEN_AXIS),
            F.concat([old_value, value], axis=TOKEN_AXIS),
        )


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
        self.dropout = dropout  # unused: we never train
        self.add_zero_attn = add_zero_attn
        self.rotary = None

        self.qkv_proj = Linear(self.hidden_size, 3 * self.hidden_size, bias=bias)
        self.out_proj = Linear(self.hidden_size, self.hidden_size, bias=bias)

        if attention_scale is not None:
            self.scale = attention_scale
        else:
            self.scale = self.head_dim**-0.5

        if use_rotary:
            self.rotary = RotaryEmbedding(
                d_k=self.head_dim, max_seq_len=MAX_POSITIONS, theta=THETA
            )

    # --- layout -------------------------------------------------------------

    def _split_heads(self, tensor: Tensor) -> Tensor:
        batch, seq = tensor.shape[0], tensor.shape[1]
        tensor = F.reshape(tensor, (batch, seq, self.num_heads, self.head_dim))
        return tensor.transpose(HEAD_AXIS, TOKEN_AXIS)

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        tensor = tensor.transpose(HEAD_AXIS, TOKEN_AXIS)
        batch, seq = tensor.shape[0], tensor.shape[1]
        return F.reshape(tensor, (batch, seq, self.hidden_size))

    def _load_heads(self, hidden_states: Tensor) -> Heads:
        packed = self.qkv_proj(hidden_states)
        parts = packed.split([self.hidden_size] * 3, axis=-1)
        return Heads(*[self._split_heads(part) for part in parts])

    # --- attention ----------------------------------------------------------

    def _softmax_with_exit(self, scores: Tensor, exit_score: Tensor) -> Tensor:
        """Softmax with one more column; its weight is dropped."""
        scores = F.concat([scores, exit_score], axis=FEATURE_AXIS)
        weights = F.softmax(scores)
        return weights[:, :, :, :-1]

    def _attn(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
    ) -> Tensor:
        scores = F.matmul(query, key.transpose(TOKEN_AXIS, FEATURE_AXIS))
        scores *= self.scale

        if position_bias is not None:
            scores += position_bias
        if attention_mask is not None:
            scores += attention_mask

        if self.add_zero_attn:
            zero = query[:, :, :, :1] * 0
            weights = self._softmax_with_exit(scores, zero)
        else:
            weights = F.softmax(scores)
        return F.matmul(weights, value)

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        cache = CacheView(past_key_value)
        query, key, value = self._load_heads(hidden_states)

        if self.rotary:
            start = cache.token_count()
            end = start + hidden_states.shape[1]
            positions = F.range(start, end, 1, dtype=DType.int64, device=query.device)
            query = self.rotary(query, positions)
            key = self.rotary(key, positions)

        key, value = cache.extend(key, value)

        context = self._attn(
            query,
            key,
            value,
            attention_mask=attention_mask,
            position_bias=position_bias,
        )
        output = self.out_proj(self._merge_heads(context))

        new_cache = None
        if use_cache:
            new_cache = (key, value)
        return output, new_cache
