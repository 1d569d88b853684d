"""Dhyaan (attention): permute, chunk, matmul, aur ek chhota sa Paimana class."""

from __future__ import annotations

import math
from functools import partial

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask

KRAM = [0, 2, 1, 3]


def naya_aakar(tukda: Tensor, ant: list[int], kitne: int) -> list:
    """Pehle ke aayam rakho, aakhri `kitne` ko `ant` se badlo."""
    aakar = list(tukda.shape)
    del aakar[len(aakar) - kitne :]
    aakar.extend(ant)
    return aakar


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        chaudai, sir = config.n_embd, config.n_head
        self.num_heads = sir
        self.embed_dim = self.split_size = chaudai
        self.head_dim = int(chaudai / sir)
        if self.head_dim * sir != chaudai:
            self.head_dim = chaudai // sir
        banao = partial(Linear, chaudai, bias=True)
        self.c_proj = banao(chaudai)
        self.c_attn = banao(chaudai + 2 * chaudai)
        self.naam = "dhyaan"  # kabhi padha nahi jaata

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        tensor = tensor.reshape(naya_aakar(tensor, [num_heads, attn_head_size], 1))
        return tensor.permute(KRAM)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        tensor = tensor.permute(list(KRAM))
        kul = num_heads * attn_head_size
        return tensor.reshape(naya_aakar(tensor, [kul], 2))

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        ank = F.matmul(query, key.permute([0, 1, 3, 2]))
        ank = ank * (self.head_dim ** -0.5)
        naqab = causal_mask(query.shape[2], 0, dtype=key.dtype, device=key.device)
        ank = F.add(ank, naqab)
        # softmax haath se: har kataar ka sabse bada ank ghatao
        shikhar = F.max(ank, axis=-1)
        upar = F.exp(ank - shikhar)
        bhaar = F.div(upar, F.sum(upar, axis=-1))
        return F.matmul(bhaar, value)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        baanto = partial(
            self._split_heads, num_heads=self.num_heads, attn_head_size=self.head_dim
        )
        teen = F.chunk(self.c_attn(hidden_states), 3, axis=2)
        q, k, v = map(baanto, teen)
        phal = self._attn(value=v, key=k, query=q)
        phal = self._merge_heads(
            phal, attn_head_size=self.head_dim, num_heads=self.num_heads
        )
        return self.c_proj(phal)


assert math.isclose(4 ** -0.5, 1 / math.sqrt(4))
