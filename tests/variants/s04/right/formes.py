"""La forme d'abord : les identifiants sont mis à quatre dimensions avant la comparaison."""

from __future__ import annotations

from functools import reduce

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    lot, longueur = token_ids.shape
    ids = token_ids.reshape([lot, 1, 1, longueur])

    remplissage = F.equal(ids, pad_token_id)
    vrai_jeton = F.logical_not(remplissage)

    visible = Tensor.zeros(ids.shape, dtype=dtype, device=token_ids.device)
    cache = Tensor.full_like(visible, finfo(dtype).min)
    return F.where(vrai_jeton, visible, cache)


def le_plus_bas(*masques: Tensor) -> Tensor:
    """Le minimum d'autant de masques que l'on veut."""
    if not masques:
        raise ValueError("il faut au moins un masque")
    return reduce(lambda gauche, droite: F.min(gauche, droite), masques)


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    return le_plus_bas(causal, padding, causal)
