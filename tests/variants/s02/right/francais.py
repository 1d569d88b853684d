"""Étape 2 : le masque causal."""

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    lignes = int(sequence_length)
    avant = int(num_tokens)
    largeur = avant + lignes
    # position de chaque requête et de chaque clé dans le texte
    requete = Tensor.arange(avant, largeur, dtype=dtype, device=device).unsqueeze(1)
    cle = Tensor.arange(largeur, dtype=dtype, device=device).unsqueeze(0)
    visible = Tensor.zeros([lignes, largeur], dtype=dtype, device=device)
    cache = Tensor.full([lignes, largeur], float("-inf"), dtype=dtype, device=device)
    return F.where(cle > requete, cache, visible)
