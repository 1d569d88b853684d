import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(query, key, value, mask=None):
    largeur = int(query.shape[-1])
    nombre = int(query.shape[-2])
    facteur = 1 / math.sqrt(largeur)
    cles = key.transpose(-1, -2)
    lignes = []
    for i in range(nombre):
        q = query[..., i : i + 1, :]
        lignes.append((q @ cles) * facteur)
    notes = F.concat(lignes, axis=-2)
    if mask is not None:
        notes = notes + mask
    poids = F.softmax(notes)
    sortie = poids @ value
    return sortie, poids
