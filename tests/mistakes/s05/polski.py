"""Krok 5: głowa po głowie, z listą wyników."""

import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _wytnij(self, czesc: Tensor, nr: int) -> Tensor:
        d = self.head_dim
        return czesc[:, :, nr * d : (nr + 1) * d]

    def _glowa(self, pytanie: Tensor, klucz: Tensor, wartosc: Tensor) -> Tensor:
        ile = pytanie.shape[1]
        wyniki = pytanie @ klucz.transpose(1, 2)
        wyniki = wyniki / math.sqrt(self.head_dim)
        wyniki = wyniki + causal_mask(ile, 0, dtype=wyniki.dtype, device=wyniki.device)
        return F.softmax(wyniki) @ wartosc

    def forward(self, hidden_states: Tensor) -> Tensor:
        n = self.embed_dim
        razem = self.c_attn(hidden_states)
        pytania, klucze, wartosci = razem[:, :, :n], razem[:, :, n : 2 * n], razem[:, :, 2 * n :]
        glowy = [
            self._glowa(
                self._wytnij(pytania, nr), self._wytnij(klucze, nr), self._wytnij(wartosci, nr)
            )
            for nr in range(self.num_heads)
        ]
        return self.c_proj(F.concat(glowy, axis=2))
