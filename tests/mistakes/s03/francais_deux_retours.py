"""Attention."""
from __future__ import annotations

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """softmax(QK/sqrt(d) + M) V"""
    # mettre la requete a l'echelle, c'est moins cher que les notes
    largeur = int(query.shape[-1])
    echelle = largeur ** (-1 / 2)
    q = query * echelle
    k = F.transpose(key, -1, -2)
    notes = F.matmul(q, k)

    if mask is None:  # rien a cacher
        poids = F.softmax(notes, axis=-1)
        return F.matmul(poids, value), poids

    poids = F.softmax(F.add(notes, mask), axis=-1)
    return F.matmul(poids, value), poids
