"""Oppmerksomhet med alle valg, uten hjelpere."""

import math

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding

MAX_POSITIONS = 2048
THETA = 10000.0


class MultiHeadAttention(Module):
    def __init__(
        self,
        hidden_size,
        num_heads,
        dropout=0.1,
        bias=True,
        add_zero_attn=False,
        use_rotary=False,
        attention_scale=None,
    ):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.dropout = dropout
        self.add_zero_attn = add_zero_attn
        self.qkv_proj = Linear(hidden_size, 3 * hidden_size, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)
        if attention_scale is not None:
            self.scale = attention_scale
        else:
            self.scale = 1.0 / math.sqrt(self.head_dim)
        self.rotary = None
        if use_rotary:
            self.rotary = RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA)

    def forward(
        self,
        hidden_states,
        attention_mask=None,
        position_bias=None,
        past_key_value=None,
        use_cache=False,
    ):
        b, s, _ = hidden_states.shape
        alt = self.qkv_proj(hidden_states).reshape([b, s, 3, self.num_heads, self.head_dim])
        alt = alt.permute([2, 0, 3, 1, 4])
        q, k, v = alt[0], alt[1], alt[2]
        start = 0
        if past_key_value is not None:
            gammel_k, gammel_v = past_key_value
            start = gammel_k.shape[2]
        if self.rotary is not None:
            steder = F.range(start, start + s, dtype=DType.int64, device=q.device)
            q = self.rotary(q, steder)
            k = self.rotary(k, steder)
        if past_key_value is not None:
            k = F.concat([gammel_k, k], axis=2)
            v = F.concat([gammel_v, v], axis=2)
        poeng = q @ k.transpose(2, 3)
        poeng = poeng * self.scale
        for tillegg in (position_bias, attention_mask):
            if tillegg is not None:
                poeng = poeng + tillegg
        if self.add_zero_attn:
            tom = q[..., :1] * 0
            poeng = F.concat([poeng, tom], axis=-1)
        vekt = F.softmax(poeng)
        if self.add_zero_attn:
            vekt = vekt[..., :-1]
        ut = (vekt @ v).transpose(1, 2).reshape([b, s, self.hidden_size])
        ut = self.out_proj(ut)
        if not use_cache:
            return ut, None
        return ut, (k, v)
