import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def _produit(requete: Tensor, cle: Tensor) -> Tensor:
    """Produit de chaque requête avec chaque clé."""
    cle_t = cle.transpose(-1, -2)
    return requete @ cle_t


def _echelle(notes: Tensor, largeur: int) -> Tensor:
    return notes / math.sqrt(largeur)


def _poids(notes: Tensor) -> Tensor:
    maximum = F.max(notes, axis=-1)
    e = F.exp(notes - maximum)
    somme = F.sum(e, axis=-1)
    return e / somme


def scaled_dot_product_attention(query, key, value, mask=None):
    notes = _produit(query, key)
    notes = _echelle(notes, int(query.shape[-1]))
    if mask is not None:
        notes = notes + mask
    poids = _poids(notes)
    sortie = poids @ value
    return sortie, poids
