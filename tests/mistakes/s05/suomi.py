from __future__ import annotations

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        leveys = config.n_embd
        self.paita = config.n_head
        self.paan_leveys = leveys // config.n_head
        self.skaala = self.paan_leveys**-0.5
        self.c_attn = Linear(leveys, leveys * 3)
        self.c_proj = Linear(leveys, leveys)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        era, pituus, _ = tensor.shape
        palat = tensor.reshape([era, pituus, num_heads, attn_head_size])
        return palat.permute([0, 2, 1, 3])

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        era, _, pituus, _ = tensor.shape
        takaisin = tensor.permute([0, 2, 1, 3])
        return takaisin.reshape([era, pituus, num_heads * attn_head_size])

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        pituus = query.shape[-2]
        pisteet = F.matmul(query * self.skaala, key.transpose(2, 3))
        este = causal_mask(pituus, 0, dtype=pisteet.dtype, device=pisteet.device)
        painot = F.softmax(pisteet + este, axis=-1)
        return F.matmul(painot, value)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        kaikki = self.c_attn(hidden_states)
        osat = F.chunk(kaikki, 3, axis=-1)
        q, k, v = [self._split_heads(osa, self.paita, self.paan_leveys) for osa in osat]
        tulos = self._attn(q, k, v)
        return self.c_proj(self._merge_heads(tulos, self.paita, self.paan_leveys))
