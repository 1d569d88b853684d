"""MultiHeadAttention, written as a class with small private member functions."""

from __future__ import annotations

from typing import Final

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding

KeyValue = tuple[Tensor, Tensor]

MAX_POSITIONS: Final[int] = 2048
THETA: Final[float] = 10000.0

# Axes of a tensor of heads, counted from the end. A poor man's enum.
HEAD_AXIS: Final[int] = -3
TOKEN_AXIS: Final[int] = -2
FEATURE_AXIS: Final[int] = -1


class MultiHeadAttention(Module):
    # ---- constructor -------------------------------------------------------------------------
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
        self.hidden_size: int = hidden_size
        self.num_heads: int = num_heads
        self.head_dim: int = hidden_size // num_heads
        self.dropout: float = dropout
        self.add_zero_attn: bool = add_zero_attn

        self.qkv_proj: Linear = Linear(hidden_size, 3 * hidden_size, bias=bias)
        self.out_proj: Linear = Linear(hidden_size, hidden_size, bias=bias)

        if attention_scale is None:
            self.scale: float = 1.0 / self.head_dim**0.5
        else:
            self.scale: float = attention_scale

        self.rotary: RotaryEmbedding | None = None
        if use_rotary:
            self.rotary = RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA)

    # ---- private -----------------------------------------------------------------------------
    def _split_heads(self, tensor: Tensor) -> Tensor:
        batch, seq = tensor.shape[0], tensor.shape[1]
        heads = tensor.reshape([batch, seq, self.num_heads, self.head_dim])
        return heads.permute([0, 2, 1, 3])

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        batch, seq = tensor.shape[0], tensor.shape[2]
        tokens = tensor.permute([0, 2, 1, 3])
        return tokens.reshape([batch, seq, self.hidden_size])

    def _softmax_with_zero(self, scores: Tensor, query: Tensor) -> Tensor:
        zero_score = query[..., :1] * 0
        extended = F.concat([scores, zero_score], axis=FEATURE_AXIS)
        weights = F.softmax(extended)
        return weights[..., :-1]

    def _rotate(self, query: Tensor, key: Tensor, past) -> KeyValue:
        count = query.shape[TOKEN_AXIS]
        positions = F.range(past, past + count, dtype=DType.int64, device=query.device)
        return self.rotary(query, positions), self.rotary(key, positions)

    def _attn(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
    ) -> Tensor:
        scores = F.matmul(query, key.transpose(TOKEN_AXIS, FEATURE_AXIS))
        scores = scores * self.scale
        for addend in (position_bias, attention_mask):
            if addend is not None:
                scores += addend
        if self.add_zero_attn:
            weights = self._softmax_with_zero(scores, query)
        else:
            weights = F.softmax(scores)
        return F.matmul(weights, value)

    # ---- operator() --------------------------------------------------------------------------
    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        n = self.hidden_size
        projected = self.qkv_proj(hidden_states)
        query = self._split_heads(projected[..., 0:n])
        key = self._split_heads(projected[..., n : 2 * n])
        value = self._split_heads(projected[..., 2 * n : 3 * n])

        has_past: bool = past_key_value is not None
        past = past_key_value[0].shape[TOKEN_AXIS] if has_past else 0

        if self.rotary is not None:
            query, key = self._rotate(query, key, past)

        if has_past:
            old_key, old_value = past_key_value
            key = F.concat([old_key, key], axis=TOKEN_AXIS)
            value = F.concat([old_value, value], axis=TOKEN_AXIS)

        context = self._attn(query, key, value, attention_mask, position_bias)
        output = self.out_proj(self._merge_heads(context))

        if not use_cache:
            return output, None
        return output, (key, value)
