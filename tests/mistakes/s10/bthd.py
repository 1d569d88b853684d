"""Step 10: MHA, all options + KV cache. B batch, T new, S all keys, C width, H heads, D head dim."""

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
        dropout: float = 0.1,  # eval only
        bias: bool = True,
        add_zero_attn: bool = False,
        use_rotary: bool = False,
        attention_scale: float | None = None,
    ) -> None:
        super().__init__()
        C, H = hidden_size, num_heads
        D = C // H
        self.hidden_size, self.num_heads, self.head_dim = C, H, D
        self.dropout, self.add_zero_attn = dropout, add_zero_attn
        self.scale = attention_scale if attention_scale is not None else D**-0.5
        self.rotary = RotaryEmbedding(D, MAX_POSITIONS, THETA) if use_rotary else None
        self.qkv_proj = Linear(C, 3 * C, bias=bias)
        self.out_proj = Linear(C, C, bias=bias)

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        x = hidden_states
        B, T, C = x.shape
        H, D = self.num_heads, self.head_dim

        # B T 3C -> 3 B H T D
        qkv = self.qkv_proj(x).reshape([B, T, 3, H, D]).permute([2, 0, 3, 1, 4])
        q, k, v = qkv[0], qkv[1], qkv[2]

        P = past_key_value[0].shape[2] if past_key_value is not None else 0
        if self.rotary is not None:
            pos = F.arange(P, P + T, dtype=DType.int64, device=x.device)
            q, k = self.rotary(q, pos), self.rotary(k, pos)
        if past_key_value is not None:
            pk, pv = past_key_value
            k = F.concat([pk, k], axis=2)  # B H S D
            v = F.concat([pv, v], axis=2)

        att = (q @ k.transpose(-2, -1)) * self.scale  # B H T S
        for extra in (position_bias, attention_mask):
            if extra is not None:
                att = att + extra
        if self.add_zero_attn:
            att = F.concat([att, F.zeros([B, H, T, 1], dtype=att.dtype, device=att.device)], axis=-1)
        att = F.softmax(att, axis=-1)
        if self.add_zero_attn:
            att = att[..., :-1]

        y = (att @ v).transpose(1, 2).reshape([B, T, C])
        y = self.out_proj(y)
        return y, (k, v) if use_cache else None
