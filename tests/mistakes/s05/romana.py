from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    """Atentie multi-cap, tema pentru laborator."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim

        latime = self.embed_dim
        self.c_attn = Linear(latime, latime * 3)
        self.c_proj = Linear(latime, latime)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        lot, lungime, _ = tensor.shape
        taiat = tensor.reshape([lot, lungime, num_heads, attn_head_size])
        return taiat.permute([0, 2, 1, 3])

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        lot, capete, lungime, latime_cap = tensor.shape
        inapoi = tensor.permute([0, 2, 1, 3])
        return inapoi.reshape([lot, lungime, num_heads * attn_head_size])

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        lungime = query.shape[2]
        radacina = math.sqrt(self.head_dim)
        # impart interogarea la radacina inainte de produs, e acelasi lucru
        interogare = query / radacina
        cheie_transpusa = key.permute([0, 1, 3, 2])
        scoruri = interogare @ cheie_transpusa
        viitor = causal_mask(lungime, 0, dtype=scoruri.dtype, device=scoruri.device)
        scoruri = scoruri + viitor
        ponderi = F.softmax(scoruri, axis=-1)
        rezultat = ponderi @ value
        return rezultat

    def forward(self, hidden_states: Tensor) -> Tensor:
        proiectat = self.c_attn(hidden_states)
        bucati = F.chunk(proiectat, 3, axis=-1)
        capete = []
        for bucata in bucati:
            capete.append(self._split_heads(bucata, self.num_heads, self.head_dim))
        q, k, v = capete
        amestec = self._attn(q, k, v)
        lipit = self._merge_heads(amestec, self.num_heads, self.head_dim)
        iesire = self.c_proj(lipit)
        return iesire
