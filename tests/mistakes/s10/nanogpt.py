"""Step 10, nanoGPT style. Axis letters: B batch, T new tokens, S all keys, C width, nh heads, hs head size."""

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
    """Multi-head attention, all options."""

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
        C, nh = hidden_size, num_heads
        self.C, self.nh, self.hs = C, nh, C // nh
        self.add_zero_attn = add_zero_attn
        self.qkv_proj = Linear(C, C * 3, bias=bias)
        self.out_proj = Linear(C, C, bias=bias)
        if attention_scale is None:
            attention_scale = 1.0 / self.hs**0.5
        self.scale = attention_scale
        self.rotary = None
        if use_rotary:
            self.rotary = RotaryEmbedding(self.hs, MAX_POSITIONS, THETA)

    def _split_heads(self, x: Tensor) -> Tensor:
        # b t (h d) -> b h t d
        B, T, _ = x.shape
        x = x.reshape([B, T, self.nh, self.hs])
        return x.permute([0, 2, 1, 3])

    def _merge_heads(self, y: Tensor) -> Tensor:
        # b h t d -> b t (h d)
        B, nh, T, hs = y.shape
        y = y.permute([0, 2, 1, 3])
        return y.reshape([B, T, self.C])

    def _attn(self, q: Tensor, k: Tensor, v: Tensor, mask=None, bias=None) -> Tensor:
        # b h t d, b h s d -> b h t s
        kT = k.permute([0, 1, 3, 2])
        att = (q * self.scale) @ kT
        for extra in (bias, mask):
            if extra is not None:
                att = att + extra
        S = att.shape[-1]
        if self.add_zero_attn:
            B, nh, T, _ = q.shape
            sink = Tensor.zeros([B, nh, T, 1], dtype=q.dtype, device=q.device)
            att = F.concat([att, sink], axis=3)
        att = F.softmax(att, axis=-1)
        if self.add_zero_attn:
            att, _ = F.split(att, [S, 1], axis=3)
        # b h t s, b h s d -> b h t d
        return att @ v

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        C = self.C
        T = hidden_states.shape[1]
        qkv = self.qkv_proj(hidden_states)
        q = self._split_heads(qkv[..., :C])
        k = self._split_heads(qkv[..., C : 2 * C])
        v = self._split_heads(qkv[..., 2 * C :])

        P = 0
        if past_key_value is not None:
            pk, pv = past_key_value
            P = pk.shape[2]
        if self.rotary is not None:
            pos = F.range(P, P + T, dtype=DType.int64, device=q.device)
            q, k = self.rotary(q, pos), self.rotary(k, pos)
        if past_key_value is not None:
            k = F.concat([pk, k], axis=2)
            v = F.concat([pv, v], axis=2)

        y = self._attn(q, k, v, mask=attention_mask, bias=position_bias)
        y = self._merge_heads(y)
        y = self.out_proj(y)
        present = (k, v) if use_cache else None
        return y, present
