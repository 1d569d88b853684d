"""s07: MHA. Short names, einops patterns in comments."""
from __future__ import annotations

from functools import partial

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

from solutions.solution_01 import GPT2Config

inf = float("inf")


def split_last(x, *ds): return x.reshape(list(x.shape[:-1]) + list(ds))          # '... (h d) -> ... h d'
def join_last(x): return x.reshape(list(x.shape[:-2]) + [x.shape[-2] * x.shape[-1]])  # '... h d -> ... (h d)'
def swap(x, a, b): return x.transpose(a, b)


flip = partial(swap, a=-1, b=-2)       # '... n d -> ... d n'
hoist = partial(swap, a=1, b=2)        # 'b n h d -> b h n d', and back


@F.functional
def causal_mask(sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device) -> Tensor:
    "0 on and below the (shifted) diagonal, -inf above."
    s, p = Dim(sequence_length), Dim(num_tokens)
    m = F.full([s, s + p], -inf, dtype=dtype, device=device)
    return F.band_part(m, num_lower=None, num_upper=int(p), exclude=True)


def with_mask(f):
    "Decorator for `_attn`: hands it the causal mask as last argument."
    def _f(self, query, key, value):
        n = query.shape[-2]
        m = causal_mask(n, 0, dtype=query.dtype, device=query.device)
        return f(self, query, key, value, m)
    return _f


class GPT2MultiHeadAttention(Module):
    "Causal MHA, HF names."

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        d = self.embed_dim
        self.c_attn = Linear(d, d * 3)
        self.c_proj = Linear(d, d)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        return hoist(split_last(tensor, num_heads, attn_head_size))

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        return join_last(hoist(tensor))

    @with_mask
    def _attn(self, q, k, v, m):
        sim = q @ flip(k) * self.head_dim**-0.5   # b h i j
        att = F.softmax(sim + m)
        return att @ v

    def __call__(self, hidden_states: Tensor) -> Tensor:
        heads = partial(self._split_heads, num_heads=self.num_heads, attn_head_size=self.head_dim)
        qkv = self.c_attn(hidden_states).split(self.split_size, axis=-1)
        q, k, v = map(heads, qkv)
        o = self._attn(q, k, v)
        o = self._merge_heads(o, self.num_heads, self.head_dim)
        return self.c_proj(o)
