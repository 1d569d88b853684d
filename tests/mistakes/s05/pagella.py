"""Attenzione a più teste, spiegata in piccoli passi."""

from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    """Lo strato in cui le parole si ascoltano."""

    def __init__(self, config: GPT2Config) -> None:
        """Prende le misure e prepara le due proiezioni."""
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.split_size = config.n_embd
        self.c_attn = self._proiezione(3)
        self.c_proj = self._proiezione(1)

    def forward(self, hidden_states: Tensor) -> Tensor:
        """Tutta la lezione, dall'inizio alla fine."""
        q, k, v = (self._dividi(parte) for parte in self._tre_parti(hidden_states))
        return self.c_proj(self._unisci(self._attn(q, k, v)))

    def _proiezione(self, quante: int) -> Linear:
        """Da un vettore a ``quante`` vettori."""
        return Linear(self.embed_dim, quante * self.embed_dim, bias=True)

    def _tre_parti(self, x: Tensor) -> list[Tensor]:
        """Domanda, chiave, valore."""
        return F.chunk(self.c_attn(x), 3, axis=-1)

    def _dividi(self, x: Tensor) -> Tensor:
        """Divide con le misure di questo strato."""
        return self._split_heads(x, self.num_heads, self.head_dim)

    def _unisci(self, x: Tensor) -> Tensor:
        """Unisce con le misure di questo strato."""
        return self._merge_heads(x, self.num_heads, self.head_dim)

    def _scambia(self, x: Tensor) -> Tensor:
        """Scambia parole e teste."""
        return x.permute([0, 2, 1, 3])

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        """Taglia ogni vettore in teste."""
        batch, seq, _ = tensor.shape
        tagliato = tensor.reshape([batch, seq, num_heads, attn_head_size])
        return self._scambia(tagliato)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        """Rimette le teste una accanto all'altra."""
        in_fila = self._scambia(tensor)
        batch, seq, _, _ = in_fila.shape
        return in_fila.reshape([batch, seq, num_heads * attn_head_size])

    def _scala(self) -> float:
        """Uno diviso la radice della larghezza di una testa."""
        return 1 / math.sqrt(self.head_dim)

    def _voti(self, q: Tensor, k: Tensor) -> Tensor:
        """Ogni domanda dà un voto a ogni chiave."""
        return F.matmul(q, k.transpose(2, 3)) * self._scala()

    def _copri(self, voti: Tensor) -> Tensor:
        """Copre il futuro, come si copre il compito con la mano."""
        parole = voti.shape[-1]
        return voti + causal_mask(parole, 0, dtype=voti.dtype, device=voti.device)

    def _pesi(self, voti: Tensor) -> Tensor:
        """I voti diventano parti di un intero."""
        return F.softmax(voti, axis=-1)

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """La media dei valori, secondo i pesi."""
        pesi = self._pesi(self._copri(self._voti(query, key)))
        return F.matmul(pesi, value)
