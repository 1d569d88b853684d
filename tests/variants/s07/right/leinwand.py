"""Alles noch einmal, mit einer Maske aus NumPy und Helfern fuer die Formen."""

from __future__ import annotations

import math

import numpy as np
from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

from solutions.solution_01 import GPT2Config

VERBOTEN = -math.inf
ERLAUBT = 0.0


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    zeilen, davor = int(Dim(sequence_length)), int(Dim(num_tokens))
    i = np.arange(zeilen).reshape(-1, 1)
    j = np.arange(zeilen + davor).reshape(1, -1)
    feld = np.where(i + davor >= j, ERLAUBT, VERBOTEN).astype(np.float32)
    return Tensor(feld, dtype=DType.float32, device=device).cast(dtype)


def umdrehen(t: Tensor, erste: int = 2, zweite: int = 1) -> Tensor:
    return t.transpose(zweite, erste)


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        eingang = Linear(self.embed_dim, self.split_size * 3, bias=True)
        ausgang = Linear(self.embed_dim, self.embed_dim, bias=True)
        self.c_attn, self.c_proj = eingang, ausgang

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        stapel, folge = tensor.shape[0], tensor.shape[1]
        return umdrehen(tensor.reshape([stapel, folge, num_heads, attn_head_size]))

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        stapel, folge = tensor.shape[0], tensor.shape[2]
        return umdrehen(tensor).reshape([stapel, folge, num_heads * attn_head_size])

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        wurzel = math.sqrt(self.head_dim)
        werte = query @ (key / wurzel).transpose(-2, -1)
        werte = werte + causal_mask(
            query.shape[-2], 0, device=query.device, dtype=query.dtype
        )
        werte = F.softmax(werte)
        werte = werte @ value
        return werte

    def __call__(self, hidden_states: Tensor) -> Tensor:
        teile = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=-1)
        for nummer, teil in enumerate(list(teile)):
            teile[nummer] = self._split_heads(teil, self.num_heads, self.head_dim)
        erster, zweiter, dritter = teile
        heraus = self._merge_heads(
            self._attn(erster, zweiter, dritter), self.num_heads, self.head_dim
        )
        return self.c_proj(heraus)
