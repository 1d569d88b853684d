"""Masque causal."""
from __future__ import annotations

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

MOINS_INFINI = float("-inf")


def _entier(longueur: DimLike) -> int:
    """Un entier, que ce soit un int ou un Dim."""
    return int(Dim(longueur))


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    """Masque additif qui cache le futur."""
    lignes = _entier(sequence_length)
    avant = _entier(num_tokens)
    colonnes = avant + lignes
    # d'abord tout cacher
    plein = Tensor.full([lignes, colonnes], MOINS_INFINI, dtype=dtype, device=device)
    # puis ouvrir le passe
    return F.band_part(plein, num_upper=avant, exclude=True)
