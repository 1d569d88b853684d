from __future__ import annotations

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding


class MultiHeadAttention(Module):
    """Figyelem minden lehetőséggel."""

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
        self.qkv_proj = Linear(hidden_size, 3 * hidden_size, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)
        self.scale = attention_scale if attention_scale is not None else self.head_dim**-0.5
        self.rotary = None
        if use_rotary:
            self.rotary = RotaryEmbedding(self.head_dim, 2048, 10000.0)

    def _fejek(self, x: Tensor) -> Tensor:
        alak = [*x.shape[:-1], self.num_heads, self.head_dim]
        return x.reshape(alak).transpose(1, 2)

    def _sulyok(self, q: Tensor, k: Tensor, maszk: Tensor | None, torzitas: Tensor | None):
        pont = q @ k.transpose(2, 3) * self.scale
        if torzitas is not None:
            pont = pont + torzitas
        if maszk is not None:
            pont = pont + maszk
        if self.add_zero_attn:
            nulla = q[..., :1] * 0
            pont = F.concat([pont, nulla], axis=-1)
        suly = F.softmax(pont)
        if self.add_zero_attn:
            suly = suly[..., :-1]
        return suly

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: tuple[Tensor, Tensor] | None = None,
        use_cache: bool = False,
    ):
        e = self.hidden_size
        q, k, v = map(self._fejek, F.split(self.qkv_proj(hidden_states), [e, e, e], axis=-1))
        regi = int(past_key_value[0].shape[-2]) if past_key_value is not None else 0
        uj = int(q.shape[-2])
        if self.rotary is not None:
            helyek = F.range(0, regi + uj, dtype=DType.int64, device=q.device)[regi:]
            q, k = self.rotary(q, helyek), self.rotary(k, helyek)
        if past_key_value is not None:
            k = F.concat([past_key_value[0], k], axis=-2)
            v = F.concat([past_key_value[1], v], axis=-2)
        tar = (k, v) if use_cache else None
        suly = self._sulyok(q, k, attention_mask, position_bias)
        ki = (suly @ v).transpose(1, 2)
        ki = ki.reshape([*ki.shape[:2], e])
        return self.out_proj(ki), tar
