"""MHA with a contiguous KV cache, vLLM naming."""

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
        assert hidden_size % num_heads == 0
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.q_size = self.kv_size = self.num_heads * self.head_dim
        self.dropout = dropout
        self.add_zero_attn = add_zero_attn
        self.scale = attention_scale
        if self.scale is None:
            self.scale = 1.0 / self.head_dim**0.5
        self.qkv_proj = Linear(hidden_size, self.q_size + 2 * self.kv_size, bias=bias)
        self.out_proj = Linear(self.q_size, hidden_size, bias=bias)
        self.rotary: RotaryEmbedding | None = (
            RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA) if use_rotary else None
        )

    def _split_heads(self, tensor: Tensor) -> Tensor:
        bsz, q_len, _ = tensor.shape
        return tensor.reshape([bsz, q_len, self.num_heads, self.head_dim]).permute([0, 2, 1, 3])

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        bsz, _, q_len, _ = tensor.shape
        return tensor.permute([0, 2, 1, 3]).reshape([bsz, q_len, self.q_size])

    def _append_kv(self, past: KeyValue | None, k: Tensor, v: Tensor) -> KeyValue:
        if past is None:
            return k, v
        k_cache, v_cache = past
        k_all = F.concat([k_cache, k], axis=2)
        v_all = F.concat([v_cache, v], axis=2)
        return k_all, v_all

    def _apply_rope(self, q: Tensor, k: Tensor, context_len) -> tuple[Tensor, Tensor]:
        if self.rotary is None:
            return q, k
        slots = F.range(
            context_len, context_len + q.shape[2], dtype=DType.int64, device=q.device
        )
        return self.rotary(q, slots), self.rotary(k, slots)

    def _logits_bias(self, scores: Tensor, *extras: Tensor | None) -> Tensor:
        for extra in extras:
            if extra is not None:
                scores = scores + extra
        return scores

    def _attn(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
    ) -> Tensor:
        logits = (query * self.scale) @ key.transpose(2, 3)
        logits = self._logits_bias(logits, position_bias, attention_mask)
        kv_len = key.shape[2]
        if self.add_zero_attn:
            sink = query[:, :, :, :1] * 0.0
            logits = F.concat([logits, sink], axis=3)
        probs = F.softmax(logits, axis=-1)
        if self.add_zero_attn:
            probs = probs[:, :, :, :kv_len]
        return probs @ value

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        qkv = self.qkv_proj(hidden_states)
        q, k, v = F.split(qkv, [self.q_size, self.kv_size, self.kv_size], axis=-1)
        q, k, v = self._split_heads(q), self._split_heads(k), self._split_heads(v)

        context_len = past_key_value[0].shape[2] if past_key_value is not None else 0
        q, k = self._apply_rope(q, k, context_len)
        k, v = self._append_kv(past_key_value, k, v)

        attn_output = self._attn(q, k, v, attention_mask, position_bias)
        output = self.out_proj(self._merge_heads(attn_output))
        return output, (k, v) if use_cache else None
