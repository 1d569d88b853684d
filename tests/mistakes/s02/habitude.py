"""Étape 02 : le masque causal, écrit comme on le ferait avec NumPy."""

from __future__ import annotations

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

MOINS_INFINI = -float("inf")


def en_entier(longueur: DimLike) -> int:
    """Un entier Python, que la longueur soit un int ou un Dim."""
    return int(Dim(longueur))


def positions_des_lignes(nb_lignes: int, decalage: int, device: Device) -> Tensor:
    """Position dans le texte de chaque nouveau jeton : une colonne [nb_lignes, 1]."""
    indices = F.arange(0, nb_lignes, 1, dtype=DType.int64, device=device)
    indices = indices + decalage
    return F.unsqueeze(indices, -1)


def positions_des_colonnes(nb_colonnes: int, device: Device) -> Tensor:
    """Position de chaque jeton regardé : une ligne [1, nb_colonnes]."""
    indices = F.arange(0, nb_colonnes, 1, dtype=DType.int64, device=device)
    return F.unsqueeze(indices, 0)


def remplir(valeur: float, forme: tuple[int, int], dtype: DType, device: Device) -> Tensor:
    """Comme np.full : une matrice pleine d'une seule valeur."""
    return Tensor.full(forme, valeur, dtype=dtype, device=device)


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    """Masque additif : 0 sur le passé, moins l'infini sur le futur."""
    nb_lignes = en_entier(sequence_length)
    nb_anciens = en_entier(num_tokens)
    nb_colonnes = nb_lignes + nb_anciens
    forme = (nb_lignes, nb_colonnes)

    lignes = positions_des_lignes(nb_lignes, nb_anciens, device)  # [lignes, 1]
    colonnes = positions_des_colonnes(nb_colonnes, device)  # [1, colonnes]
    futur = colonnes > lignes  # [lignes, colonnes]

    interdit = remplir(MOINS_INFINI, forme, dtype, device)
    permis = remplir(0.0, forme, dtype, device)
    masque = F.where(futur, interdit, permis)
    return masque
