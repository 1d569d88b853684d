"""Attention a plusieurs tetes, ecrite de memoire."""

from __future__ import annotations

from math import sqrt

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

from solutions.solution_01 import GPT2Config


@F.functional
def causal_mask(
    sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device
) -> Tensor:
    passe = int(Dim(num_tokens))
    colonnes = Dim(sequence_length) + passe
    interdit = Tensor(float("-inf"), dtype=dtype, device=device)
    grille = F.broadcast_to(interdit, [sequence_length, colonnes])
    return F.band_part(grille, num_upper=passe, exclude=True)


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_proj = Linear(in_dim=self.embed_dim, out_dim=self.embed_dim, bias=True)
        self.c_attn = Linear(in_dim=self.embed_dim, out_dim=self.embed_dim * 3, bias=True)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        lot, longueur, _ = tensor.shape
        coupe = tensor.reshape([lot, longueur, num_heads, attn_head_size])
        return coupe.transpose(1, 2)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        lot, _, longueur, _ = tensor.shape
        cote_a_cote = tensor.permute([0, 2, 1, 3])
        return cote_a_cote.reshape([lot, longueur, num_heads * attn_head_size])

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        # on reduit la requete plutot que les notes
        q = query * (1.0 / sqrt(self.head_dim))
        notes = q @ key.permute([0, 1, 3, 2])
        masque = causal_mask(query.shape[2], 0, dtype=query.dtype, device=query.device)
        poids = F.softmax(notes + masque, axis=-1)
        return poids @ value

    def __call__(self, hidden_states: Tensor) -> Tensor:
        qkv = self.c_attn(hidden_states)
        morceaux = [
            self._split_heads(m, self.num_heads, self.head_dim)
            for m in F.split(qkv, [self.split_size] * 3, axis=-1)
        ]
        melange = self._attn(*morceaux)
        fusion = self._merge_heads(melange, self.num_heads, self.head_dim)
        return self.c_proj(fusion)
