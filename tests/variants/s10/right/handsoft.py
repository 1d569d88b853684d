"""Step 10 with the softmax written by hand, so that the zero is one more term below the line."""

from __future__ import annotations

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding

KeyValue = tuple[Tensor, Tensor]
MAX_POSITIONS = 2048
THETA = 10000.0


def rotate_half(x: Tensor) -> Tensor:
    """An experiment; not used by the layer."""
    half = int(x.shape[-1]) // 2
    return F.concat([-x[..., half:], x[..., :half]], axis=-1)


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
        self.dropout = dropout
        self.keep = 1.0 - dropout  # never read
        self.add_zero_attn = add_zero_attn
        self.qkv_proj = Linear(hidden_size, 3 * hidden_size, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)
        if attention_scale is None:
            self.scale = self.head_dim ** (-1 / 2)
        else:
            self.scale = attention_scale
        self.rotary: RotaryEmbedding | None = None
        if use_rotary:
            self.rotary = RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA)

    @property
    def _sizes(self) -> list[int]:
        return [self.num_heads, self.head_dim]

    def _split_heads(self, tensor: Tensor) -> Tensor:
        return tensor.reshape(list(tensor.shape[:-1]) + self._sizes).transpose(-2, -3)

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        side_by_side = tensor.transpose(-2, -3)
        return side_by_side.reshape(list(side_by_side.shape[:-2]) + [self.hidden_size])

    def _attn(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
    ) -> Tensor:
        scores = query @ key.transpose(-1, -2)
        scores = scores * self.scale
        if (bias := position_bias) is not None:
            scores = scores + bias
        if (mask := attention_mask) is not None:
            scores = scores + mask
        if self.add_zero_attn:
            top = F.relu(scores.max(axis=-1))  # the zero's score is 0
            shares = F.exp(scores - top)
            whole = shares.sum(axis=-1) + F.exp(-top)
            weights = shares / whole
        else:
            weights = F.softmax(scores)
        return weights @ value

    def _project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        third = self.hidden_size
        left, middle, right = F.split(self.qkv_proj(x), [third, third, third], axis=-1)
        return self._split_heads(left), self._split_heads(middle), self._split_heads(right)

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        query, new_key, new_value = self._project(hidden_states)
        start = 0
        if past_key_value is not None:
            start = past_key_value[1].shape[-2]  # as many values as keys
        if self.rotary is not None:
            steps = F.range(0, query.shape[-2], dtype=DType.int64, device=query.device)
            if past_key_value is not None:
                steps = F.range(
                    start, start + query.shape[-2], dtype=DType.int64, device=query.device
                )
            query = self.rotary(query, steps)
            new_key = self.rotary(new_key, steps)
        key, value = new_key, new_value
        if past_key_value is not None:
            old_key, old_value = past_key_value
            key = F.concat([old_key, new_key], axis=-2)
            value = F.concat([old_value, new_value], axis=-2)
        mixed = self._attn(query, key, value, attention_mask, position_bias)
        output = self.out_proj(self._merge_heads(mixed))
        return {True: (output, (key, value)), False: (output, None)}[bool(use_cache)]
