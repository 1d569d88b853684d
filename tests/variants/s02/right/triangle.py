"""Des uns dans la bande, puis un choix : zéro là où il y a un, moins l'infini ailleurs."""

from __future__ import annotations

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike


def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    a = Dim(num_tokens)
    b = Dim(sequence_length)
    hauteur, largeur = b, b + a

    def rempli(valeur: float) -> Tensor:
        nombre = Tensor(valeur, device=device, dtype=dtype)
        return nombre.broadcast_to([hauteur, largeur])

    def bande(x: Tensor, vers_la_droite: int, vers_la_gauche: int | None = None) -> Tensor:
        return F.band_part(x, vers_la_gauche, vers_la_droite)

    permis = bande(rempli(1.0), int(a)) == 1.0
    masque = rempli(float("-inf"))
    masque = F.where(permis, rempli(0.0), masque)
    return masque


# La décoration, sans arobase.
causal_mask = F.functional(causal_mask)
