"""Étape 03 : l'attention, avec de petites fonctions à la NumPy."""

from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def produits_scalaires(requetes: Tensor, cles: Tensor) -> Tensor:
    """Le produit de chaque requête avec chaque clé."""
    cles_t = F.transpose(cles, -2, -1)  # [..., largeur, nb_cles]
    produits = F.matmul(requetes, cles_t)  # [..., nb_requetes, nb_cles]
    return produits


def normaliser_par_la_largeur(scores: Tensor, requetes: Tensor) -> Tensor:
    """Divise par la racine de la largeur d'une requête."""
    largeur = int(requetes.shape[-1])
    racine = math.sqrt(largeur)
    return scores * (1.0 / racine)


def cacher(scores: Tensor, masque: Tensor | None) -> Tensor:
    """Ajoute le masque, s'il y en a un."""
    if masque is None:
        return scores
    return F.add(scores, masque)


def softmax_stable(scores: Tensor) -> Tensor:
    """Softmax sur le dernier axe, comme on l'écrit avec NumPy."""
    sommet = F.max(scores, axis=-1)  # [..., nb_requetes, 1]
    exposants = F.exp(scores - sommet)
    total = F.sum(exposants, axis=-1)  # [..., nb_requetes, 1]
    poids = exposants / total
    return poids


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Attention : chaque requête regarde toutes les clés et mélange les valeurs."""
    scores = produits_scalaires(query, key)
    scores_reduits = normaliser_par_la_largeur(scores, query)
    scores_masques = cacher(scores_reduits, mask)
    poids = softmax_stable(scores_masques)
    melange = F.matmul(poids, value)
    return melange, poids
