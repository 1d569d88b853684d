"""Step 10: attention with every option, and a cache of keys and values."""

from __future__ import annotations

import math

import max.experimental.functional as F
from max.dtype import DType
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding

KeyValue = tuple[Tensor, Tensor]
"""Keys and values of all tokens so far, each ``[batch, num_heads, total, head_dim]``."""

MAX_POSITIONS = 2048
"""How many positions the rotation knows."""

THETA = 10000.0
"""Base of the rotation's frequencies."""


class MultiHeadAttention(Module):
    """Multi-head self-attention. Think build_attn() in llama-graph.cpp, without the ggml."""

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
        self.add_zero_attn = add_zero_attn

        # wqkv is fused, like in the phi2 graph
        n_embd_gqa = hidden_size
        self.qkv_proj = Linear(hidden_size, hidden_size + 2 * n_embd_gqa, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)

        kq_scale = attention_scale
        if kq_scale is None:
            kq_scale = 1.0 / math.sqrt(self.head_dim)
        self.scale = kq_scale

        self.rotary: RotaryEmbedding | None = None
        if use_rotary:
            n_rot = self.head_dim
            self.rotary = RotaryEmbedding(n_rot, MAX_POSITIONS, THETA)

    def _split_heads(self, tensor: Tensor) -> Tensor:
        """``[batch, seq, hidden_size]`` to ``[batch, num_heads, seq, head_dim]``."""
        n_batch, n_tokens, _ = tensor.shape
        cur = F.reshape(tensor, [n_batch, n_tokens, self.num_heads, self.head_dim])
        return F.permute(cur, [0, 2, 1, 3])

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        """``[batch, num_heads, seq, head_dim]`` to ``[batch, seq, hidden_size]``."""
        n_batch, n_head, n_tokens, n_embd_head = tensor.shape
        cur = F.permute(tensor, [0, 2, 1, 3])
        return F.reshape(cur, [n_batch, n_tokens, n_head * n_embd_head])

    def _attn(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
    ) -> Tensor:
        """Weigh the values."""
        kq = F.matmul(query, F.transpose(key, -1, -2))
        kq = F.mul(kq, self.scale)

        if position_bias is not None:
            kq = F.add(kq, position_bias)

        if attention_mask is not None:
            kq = F.add(kq, attention_mask)

        # attention sink with a logit of 0
        if self.add_zero_attn:
            sink = Tensor.zeros([*kq.shape[:-1], 1], dtype=kq.dtype, device=kq.device)
            kq = F.concat([kq, sink], axis=-1)

        kq = F.softmax(kq, axis=-1)

        if self.add_zero_attn:
            kq = kq[..., :-1]

        kqv = F.matmul(kq, value)
        return kqv

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        """Let the new tokens attend to the cached ones and to each other."""
        n_embd = self.hidden_size
        cur = self.qkv_proj(hidden_states)

        q_cur = self._split_heads(cur[..., :n_embd])
        k_cur = self._split_heads(cur[..., n_embd : 2 * n_embd])
        v_cur = self._split_heads(cur[..., 2 * n_embd :])

        n_past = 0
        if past_key_value is not None:
            n_past = past_key_value[0].shape[2]

        if self.rotary is not None:
            n_tokens = hidden_states.shape[1]
            inp_pos = F.range(n_past, n_past + n_tokens, dtype=DType.int64, device=q_cur.device)
            q_cur = self.rotary(q_cur, inp_pos)
            k_cur = self.rotary(k_cur, inp_pos)

        if past_key_value is not None:
            k_past, v_past = past_key_value
            k_cur = F.concat([k_past, k_cur], axis=2)
            v_cur = F.concat([v_past, v_cur], axis=2)

        kqv = self._attn(q_cur, k_cur, v_cur, attention_mask, position_bias)
        cur = self.out_proj(self._merge_heads(kqv))

        if not use_cache:
            return cur, None
        return cur, (k_cur, v_cur)
