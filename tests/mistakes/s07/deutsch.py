"""Attention, aus dem Kopf geschrieben: Maske aus zwei Bereichen."""

import math

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim

from solutions.solution_01 import GPT2Config


@F.functional
def causal_mask(sequence_length, num_tokens, *, dtype, device):
    spalten = int(Dim(num_tokens) + sequence_length)
    zeilen = int(Dim(sequence_length))
    i = F.range(0, zeilen, dtype=DType.int64, device=device).reshape([zeilen, 1])
    j = F.range(0, spalten, dtype=DType.int64, device=device).reshape([1, spalten])
    frueher = int(Dim(num_tokens))
    sichtbar = j <= i + frueher
    null = Tensor(0.0, dtype=dtype, device=device)
    minus = Tensor(-math.inf, dtype=dtype, device=device)
    return F.where(sichtbar, null, minus)


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        vorne = list(tensor.shape[:-1])
        geteilt = tensor.reshape([*vorne, num_heads, attn_head_size])
        return geteilt.transpose(-2, -3)

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        gedreht = tensor.transpose(-2, -3)
        vorne = list(gedreht.shape[:-2])
        return gedreht.reshape([*vorne, num_heads * attn_head_size])

    def _attn(self, query, key, value):
        wurzel = math.sqrt(self.head_dim)
        punkte = (query / wurzel) @ key.transpose(-2, -1)
        laenge = punkte.shape[-1]
        punkte += causal_mask(laenge, 0, dtype=punkte.dtype, device=punkte.device)
        return F.softmax(punkte, axis=-1) @ value

    def forward(self, hidden_states):
        alles = self.c_attn(hidden_states)
        breite = self.split_size
        q = alles[:, :, :breite]
        k = alles[:, :, breite : 2 * breite]
        v = alles[:, :, 2 * breite :]
        koepfe = [self._split_heads(t, self.num_heads, self.head_dim) for t in (q, k, v)]
        ergebnis = self._attn(*koepfe)
        ergebnis = self._merge_heads(ergebnis, self.num_heads, self.head_dim)
        return self.c_proj(ergebnis)
