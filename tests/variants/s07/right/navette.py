"""La navette: petites classes, un decorateur, et une boucle sur trois roles."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import IntEnum
from functools import wraps

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

from solutions.solution_01 import GPT2Config


class Role(IntEnum):
    REQUETE = 0
    CLE = 1
    VALEUR = 2


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    avant = int(Dim(num_tokens))
    forme = (Dim(sequence_length), Dim(sequence_length) + avant)
    plein = F.broadcast_to(Tensor(-math.inf, dtype=dtype, device=device), shape=forme)
    return F.band_part(plein, exclude=True, num_upper=avant, num_lower=None)


def jamais_rien(methode: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Refuse un resultat vide."""

    @wraps(methode)
    def enveloppe(*args, **kwargs) -> Tensor:
        resultat = methode(*args, **kwargs)
        if resultat is None:
            raise RuntimeError(f"{methode.__name__} ne rend rien")
        return resultat

    return enveloppe


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, len(Role) * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    @jamais_rien
    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        forme = tensor.shape[:-1] + [num_heads, attn_head_size]
        return F.transpose(F.reshape(tensor, forme), 1, 2)

    @jamais_rien
    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        retourne = F.transpose(tensor, 1, 2)
        return F.flatten(retourne, 2, 3)

    @jamais_rien
    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        # Tout est couche : les colonnes sont les requetes, les lignes les cles.
        couche = key @ query.transpose(-1, -2)
        couche = couche / math.sqrt(int(key.shape[-1]))
        masque = causal_mask(key.shape[-2], 0, dtype=key.dtype, device=key.device)
        couche = couche + masque.transpose(-1, -2)
        poids = F.softmax(couche.transpose(-1, -2), axis=-1)
        return poids @ value

    def __call__(self, hidden_states: Tensor) -> Tensor:
        bandes = F.split(self.c_attn(hidden_states), [self.split_size] * len(Role), axis=2)
        par_role: dict[Role, Tensor] = {}
        for role in reversed(Role):
            par_role[role] = self._split_heads(bandes[role], self.num_heads, self.head_dim)
        tissu = self._attn(
            par_role[Role.REQUETE], par_role[Role.CLE], par_role[Role.VALEUR]
        )
        return self.c_proj(self._merge_heads(tissu, self.num_heads, self.head_dim))
