"""L'attention a plusieurs tetes, avec heritage, proprietes et fonctions imbriquees."""

from __future__ import annotations

import math
from collections.abc import Callable

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


def enchaine(*etapes: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """Compose des fonctions de gauche a droite."""

    def compose(x: Tensor) -> Tensor:
        for etape in etapes:
            x = etape(x)
        return x

    return compose


class TailleMixin:
    """Les tailles, toutes tirees de deux nombres."""

    embed_dim: int
    num_heads: int

    @property
    def head_dim(self) -> int:
        return self.embed_dim // self.num_heads

    @property
    def split_size(self) -> int:
        return self.embed_dim


class GPT2Attention(TailleMixin, Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        debut = tensor.shape[:-1]
        return enchaine(
            lambda t: t.reshape(debut + [num_heads] + [attn_head_size]),
            lambda t: t.transpose(-2, -3),
        )(tensor)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        return enchaine(
            lambda t: t.transpose(-2, -3),
            lambda t: F.flatten(t, start_dim=2, end_dim=3),
        )(tensor)

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        def notes(cle: Tensor, requete: Tensor) -> Tensor:
            # cle @ requete transposee, puis transpose : c'est requete @ cle transposee
            return (cle @ requete.transpose(-1, -2)).transpose(-1, -2)

        def cache(t: Tensor) -> Tensor:
            longueur = t.shape[-1]
            return t + causal_mask(longueur, 0, dtype=t.dtype, device=t.device)

        echelle = math.sqrt(int(value.shape[-1]))
        poids = enchaine(lambda t: t / echelle, cache, F.softmax)(notes(key, query))
        return poids @ value

    def __call__(self, hidden_states: Tensor) -> Tensor:
        def coupe(t: Tensor) -> Tensor:
            return self._split_heads(t, self.num_heads, self.head_dim)

        if (qkv := self.c_attn(hidden_states)) is None:
            raise RuntimeError("c_attn ne donne rien")
        requete, cle, valeur = qkv.split([self.split_size] * 3, axis=-1)
        sortie = self._attn(coupe(requete), coupe(cle), coupe(valeur))
        fin = enchaine(
            lambda t: self._merge_heads(t, self.num_heads, self.head_dim), self.c_proj
        )
        return fin(sortie)
