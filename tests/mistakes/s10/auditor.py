"""Step 10. Policy: validate first, compute second, trust no argument."""

from __future__ import annotations

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding

KeyValue = tuple[Tensor, Tensor]

MAX_POSITIONS = 2048
THETA = 10000.0


def require(condition: bool, message: str) -> None:
    """Fail closed."""
    if not condition:
        raise ValueError(message)


class MultiHeadAttention(Module):
    """Attention with options. Every option is off unless it is requested."""

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
        require(hidden_size % num_heads == 0, "num_heads must divide hidden_size")
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.dropout = dropout  # recorded, never applied
        self.add_zero_attn = add_zero_attn

        self.qkv_proj = Linear(hidden_size, hidden_size * 3, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)

        if attention_scale is not None:
            self.scale = attention_scale
        else:
            self.scale = 1.0 / self.head_dim**0.5

        if use_rotary:
            require(self.head_dim % 2 == 0, "rotation needs an even head_dim")
            self.rotary = RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA)
        else:
            self.rotary = None

    def _split_heads(self, tensor: Tensor) -> Tensor:
        assert tensor.rank == 3, f"expected rank 3, got {tensor.rank}"
        batch, seq = tensor.shape[0], tensor.shape[1]
        cut = tensor.reshape([batch, seq, self.num_heads, self.head_dim])
        return cut.permute([0, 2, 1, 3])

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        assert tensor.rank == 4, f"expected rank 4, got {tensor.rank}"
        batch, seq = tensor.shape[0], tensor.shape[2]
        moved = tensor.permute([0, 2, 1, 3])
        return moved.reshape([batch, seq, self.hidden_size])

    def _attn(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
    ) -> Tensor:
        if key.shape[-2] != value.shape[-2]:
            raise ValueError("key and value differ in length")

        scores = (query * self.scale) @ key.transpose(-1, -2)
        for addend in (position_bias, attention_mask):
            if addend is None:
                continue
            scores = scores + addend

        if not self.add_zero_attn:
            return F.softmax(scores, axis=-1) @ value

        zero_score = query[..., 0:1] * 0.0
        scores = F.concat([zero_score, scores], axis=-1)
        weights = F.softmax(scores, axis=-1)
        weights = weights[..., 1:]  # the zero key is never disclosed
        return weights @ value

    def _validate_cache(self, past_key_value: KeyValue) -> None:
        if len(past_key_value) != 2:
            raise ValueError("past_key_value must be (key, value)")
        for cached in past_key_value:
            assert cached.rank == 4, "cached tensors have rank 4"

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        assert hidden_states.rank == 3, "hidden_states must be [batch, seq, hidden_size]"
        sizes = [self.hidden_size, self.hidden_size, self.hidden_size]
        query, key, value = F.split(self.qkv_proj(hidden_states), sizes, axis=-1)
        query = self._split_heads(query)
        key = self._split_heads(key)
        value = self._split_heads(value)

        past = 0
        if past_key_value is not None:
            self._validate_cache(past_key_value)
            past_key, past_value = past_key_value
            past = past_key.shape[-2]

        if self.rotary is not None:
            end = past + hidden_states.shape[1]
            positions = F.range(past, end, dtype=DType.int64, device=hidden_states.device)
            query = self.rotary(query, positions)
            key = self.rotary(key, positions)

        if past_key_value is not None:
            key = F.concat([past_key, key], axis=2)
            value = F.concat([past_value, value], axis=2)

        context = self._attn(query, key, value, attention_mask, position_bias)
        output = self.out_proj(self._merge_heads(context))

        if not use_cache:
            return output, None
        return output, (key, value)
