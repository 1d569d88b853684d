"""Jaal: c_attn ke bhaar ko seedhe teen hisson mein kaatkar projection."""

from __future__ import annotations

import math
from functools import cached_property  # noqa: F401

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

from solutions.solution_01 import GPT2Config


def _naqab(lambai: DimLike, pehle: DimLike, *, prakar: DType, yantra: Device) -> Tensor:
    kul = Dim(lambai) + Dim(pehle)
    khali = Tensor.full([lambai, kul], float("-inf"), dtype=prakar, device=yantra)
    return F.band_part(khali, num_upper=int(Dim(pehle)), exclude=not False)


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    return _naqab(sequence_length, num_tokens, prakar=dtype, yantra=device)


class GPT2MultiHeadAttention(Module):
    TEEN = 3

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.split_size = self.embed_dim
        self.num_heads = config.n_head
        self.head_dim = self.split_size // self.num_heads
        self.c_attn = Linear(self.embed_dim, self.TEEN * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        a, b = tensor.shape[:-1]
        x1 = tensor.reshape([a, b, num_heads, attn_head_size])
        x2 = x1.permute([0, 2, 1, 3])
        return x2

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        a, _, b, _ = tensor.shape
        x2 = tensor.permute([0, 2, 1, 3])
        x1 = x2.reshape([a, b, num_heads * attn_head_size])
        return x1

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        bade = self.head_dim**0.5
        ank = (query / bade) @ key.T
        n = ank.shape[-1]
        naqab = causal_mask(n, 0, dtype=query.dtype, device=query.device)
        dobara = causal_mask(n, 0, dtype=query.dtype, device=query.device)
        naqab = naqab if dobara is None else dobara
        ank += naqab
        sabse_bada = ank.max(axis=-1)
        upar = F.exp(ank - sabse_bada)
        # pehle milao, phir bhaag do: yog har kataar ka ek hi ank hai
        return (upar @ value) / upar.sum(axis=-1)

    def _ek(self, kaunsa: int, x: Tensor) -> Tensor:
        """kaunsa: 0 query, 1 key, 2 value."""
        shuru = kaunsa * self.split_size
        ant = shuru + self.split_size
        bhaar = self.c_attn.weight[shuru:ant]
        jhukav = self.c_attn.bias[shuru:ant]
        y = x @ bhaar.transpose(0, 1) + jhukav
        return self._split_heads(y, self.num_heads, self.head_dim)

    def forward(self, hidden_states: Tensor) -> Tensor:
        mila = self._attn(*(self._ek(i, hidden_states) for i in range(self.TEEN)))
        ek_saath = self._merge_heads(mila, self.num_heads, self.head_dim)
        return self.c_proj(ek_saath)
