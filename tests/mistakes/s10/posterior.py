"""Multi-head attention with options and a cache.

I read attention as a categorical posterior over the keys: the scaled scores are a log likelihood,
position bias and mask are a log prior, and the softmax normalizes their sum.
"""

from __future__ import annotations

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding

KeyValue = tuple[Tensor, Tensor]

MAX_POSITIONS = 2048
THETA = 10000.0


class MultiHeadAttention(Module):
    """Self-attention; the caller brings the prior (mask, bias) and the evidence so far (cache)."""

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
        self.dropout = dropout  # nothing is sampled at inference time
        self.add_zero_attn = add_zero_attn

        # The inverse temperature of the likelihood. A given 0.0 makes it flat, which is legitimate,
        # so the default must not replace it.
        if attention_scale is None:
            attention_scale = 1.0 / self.head_dim**0.5
        self.scale = attention_scale

        # Without rotation the model is exchangeable in its positions, up to the prior.
        self.rotary: RotaryEmbedding | None = (
            RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA) if use_rotary else None
        )

        self.qkv_proj = Linear(hidden_size, 3 * hidden_size, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)

    def _split_heads(self, tensor: Tensor) -> Tensor:
        # Heads are conditionally independent given the input, so they become a batch dimension.
        batch, seq = tensor.shape[0], tensor.shape[1]
        by_head = tensor.reshape([batch, seq, self.num_heads, self.head_dim])
        return by_head.transpose(1, 2)

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        batch, seq = tensor.shape[0], tensor.shape[2]
        by_token = tensor.transpose(1, 2)
        return by_token.reshape([batch, seq, self.hidden_size])

    def _attn(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
    ) -> Tensor:
        # Log likelihood of each key for each query. Only this term is scaled.
        log_joint = (query @ key.transpose(-1, -2)) * self.scale

        # The log prior: soft preferences for positions, hard constraints from the mask.
        for log_prior in (position_bias, attention_mask):
            if log_prior is not None:
                log_joint = log_joint + log_prior

        if not self.add_zero_attn:
            posterior = F.softmax(log_joint)
            return posterior @ value

        # A null hypothesis with log joint 0. Its value is zero, so that after normalization its
        # column can be left out: the rest is a sub-probability, on purpose.
        null = query[..., :1] * 0
        posterior = F.softmax(F.concat([log_joint, null], axis=-1))
        return posterior[..., :-1] @ value

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        width = self.hidden_size
        joint = self.qkv_proj(hidden_states)
        raw_query, raw_key, raw_value = F.split(joint, [width, width, width], axis=-1)
        query = self._split_heads(raw_query)
        key = self._split_heads(raw_key)
        value = self._split_heads(raw_value)

        # How many observations were made before this call.
        n_seen = past_key_value[0].shape[2] if past_key_value is not None else 0

        # New observations carry on counting where the old ones ended.
        if self.rotary is not None:
            n_new = query.shape[2]
            times = F.range(n_seen, n_seen + n_new, dtype=DType.int64, device=query.device)
            query, key = self.rotary(query, times), self.rotary(key, times)

        # Update: condition on the old evidence as well, oldest first.
        if past_key_value is not None:
            old_key, old_value = past_key_value
            key = F.concat([old_key, key], axis=2)
            value = F.concat([old_value, value], axis=2)

        expectation = self._attn(query, key, value, attention_mask, position_bias)
        output = self.out_proj(self._merge_heads(expectation))
        if use_cache:
            return output, (key, value)
        return output, None
