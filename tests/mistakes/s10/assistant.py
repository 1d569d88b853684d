"""Multi-head attention with rotary embeddings and a KV cache."""

from __future__ import annotations

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding

MAX_SEQ_LEN = 2048
ROPE_BASE = 10_000.0


class MultiHeadAttention(Module):
    """Multi-head self-attention."""

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
        # Store the hyper-parameters
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.add_zero_attn = add_zero_attn
        # Scaling factor
        if attention_scale is None:
            self.scale = 1.0 / self.head_dim**0.5
        else:
            self.scale = attention_scale
        # Projections
        self.qkv_proj = Linear(hidden_size, 3 * hidden_size, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)
        # Rotary embedding
        self.rotary = None
        if use_rotary:
            self.rotary = RotaryEmbedding(self.head_dim, MAX_SEQ_LEN, ROPE_BASE)

    def _to_heads(self, tensor: Tensor) -> Tensor:
        """[batch, seq, hidden] -> [batch, heads, seq, head_dim]."""
        batch, seq = tensor.shape[0], tensor.shape[1]
        tensor = tensor.reshape([batch, seq, self.num_heads, self.head_dim])
        return tensor.permute([0, 2, 1, 3])

    def _from_heads(self, tensor: Tensor) -> Tensor:
        """[batch, heads, seq, head_dim] -> [batch, seq, hidden]."""
        tensor = tensor.permute([0, 2, 1, 3])
        batch, seq = tensor.shape[0], tensor.shape[1]
        return tensor.reshape([batch, seq, self.hidden_size])

    def _apply_rotary(self, query: Tensor, key: Tensor, offset: int) -> tuple[Tensor, Tensor]:
        """Rotate query and key by their absolute positions."""
        if self.rotary is None:
            return query, key
        length = int(query.shape[2])
        positions = F.range(offset, offset + length, dtype=DType.int64, device=query.device)
        return self.rotary(query, positions), self.rotary(key, positions)

    def _extend_cache(self, key: Tensor, value: Tensor, past):
        """Prepend the cached keys and values."""
        if past is None:
            return key, value
        past_key, past_value = past
        key = F.concat([past_key, key], axis=2)
        value = F.concat([past_value, value], axis=2)
        return key, value

    def _attention_weights(self, query, key, attention_mask, position_bias) -> Tensor:
        """Compute the attention probabilities."""
        # Raw scores
        scores = query @ key.transpose(-1, -2)
        # Scale
        scores = scores * self.scale
        # Additive terms
        if position_bias is not None:
            scores = scores + position_bias
        if attention_mask is not None:
            scores = scores + attention_mask
        # Optional zero slot
        if self.add_zero_attn:
            zero = query[..., :1] * 0.0
            scores = F.concat([scores, zero], axis=-1)
        weights = F.softmax(scores)
        if self.add_zero_attn:
            weights = weights[..., :-1]
        return weights

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value=None,
        use_cache: bool = False,
    ):
        # 1. Project
        qkv = self.qkv_proj(hidden_states)
        query, key, value = F.split(qkv, [self.hidden_size] * 3, axis=-1)
        # 2. Split heads
        query = self._to_heads(query)
        key = self._to_heads(key)
        value = self._to_heads(value)
        # 3. Rotary
        offset = 0
        if past_key_value is not None:
            offset = int(past_key_value[0].shape[2])
        query, key = self._apply_rotary(query, key, offset)
        # 4. Cache
        key, value = self._extend_cache(key, value, past_key_value)
        present = (key, value) if use_cache else None
        # 5. Attend
        weights = self._attention_weights(query, key, attention_mask, position_bias)
        context = weights @ value
        # 6. Output
        output = self.out_proj(self._from_heads(context))
        return output, present
