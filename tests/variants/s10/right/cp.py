# step 10. n = hidden, h = heads, d = n/h, s = new, p = past, t = p+s
from __future__ import annotations

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding

KeyValue = tuple[Tensor, Tensor]
MAX_POSITIONS, THETA = 2048, 1e4
P = [0, 2, 1, 3]  # swaps s and h, its own inverse


class MultiHeadAttention(Module):
    def __init__(
        self, hidden_size, num_heads, dropout=0.1, bias=True,
        add_zero_attn=False, use_rotary=False, attention_scale=None,
    ):
        super().__init__()
        n, h = hidden_size, num_heads
        d = n // h
        self.hidden_size, self.num_heads, self.head_dim = n, h, d
        self.dropout, self.add_zero_attn = dropout, add_zero_attn
        self.scale = attention_scale if attention_scale is not None else d**-0.5
        self.qkv_proj, self.out_proj = Linear(n, 3 * n, bias=bias), Linear(n, n, bias=bias)
        self.rotary = RotaryEmbedding(d, MAX_POSITIONS, THETA) if use_rotary else None

    def _split_heads(self, tensor):
        b, s, _ = tensor.shape
        return F.permute(F.reshape(tensor, [b, s, self.num_heads, self.head_dim]), P)

    def _merge_heads(self, tensor):
        b, _, s, _ = tensor.shape
        return F.reshape(F.permute(tensor, P), [b, s, self.hidden_size])

    def _attn(self, query, key, value, attention_mask=None, position_bias=None):
        z = self.add_zero_attn
        a = F.matmul(query * self.scale, key.T)  # b h s t
        for m in (position_bias, attention_mask):
            if m is not None: a = a + m
        if z: a = F.concat([a, query[..., :1] * 0], axis=3)
        w = F.softmax(a, axis=-1)
        if z: w = w[..., :-1]
        return F.matmul(w, value)

    def __call__(
        self, hidden_states, attention_mask=None, position_bias=None,
        past_key_value=None, use_cache=False,
    ):
        x, c, r = hidden_states, past_key_value, self.rotary
        p = c[0].shape[2] if c is not None else 0
        q, k, v = map(self._split_heads, F.split(self.qkv_proj(x), self.hidden_size, axis=2))
        if r is not None:
            i = F.range(p, p + x.shape[1], dtype=DType.int64, device=x.device)
            q, k = r(q, i), r(k, i)
        if c is not None: k, v = (F.concat([o, e], axis=2) for o, e in zip(c, (k, v)))
        y = self._merge_heads(self._attn(q, k, v, attention_mask, position_bias))
        return self.out_proj(y), (k, v) if use_cache else None
