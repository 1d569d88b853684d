"""Chaque facteur porte la moitié de l'échelle : la racine quatrième de la largeur."""

from __future__ import annotations

from collections.abc import Callable

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def echange_des_deux_derniers(x: Tensor) -> Tensor:
    ordre = list(range(x.rank))
    ordre[-1], ordre[-2] = ordre[-2], ordre[-1]
    return x.permute(ordre)


def reduit(racine: float) -> Callable[[Tensor], Tensor]:
    def diviser(x: Tensor) -> Tensor:
        return x / racine

    return diviser


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    largeur = int(query.shape[query.rank - 1])
    petit = reduit(largeur**0.25)
    x1, x2 = petit(query), petit(key)
    x2 = echange_des_deux_derniers(x2)

    match mask:
        case None:
            scores = x1 @ x2
        case _:
            scores = mask + x1 @ x2

    def melange(valeurs: Tensor, poids: Tensor) -> Tensor:
        return poids @ valeurs

    poids = F.softmax(scores)
    return melange(value, poids), poids
