"""Étape 4 : cacher le remplissage."""

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    lot = int(token_ids.shape[0])
    longueur = int(token_ids.shape[1])
    vide = token_ids == pad_token_id
    vide = vide.reshape([lot, 1, 1, longueur])
    zero = Tensor.zeros([lot, 1, 1, longueur], dtype=dtype, device=token_ids.device)
    plancher = Tensor.full([1], finfo(dtype).min, dtype=dtype, device=token_ids.device)
    return F.where(vide, plancher, zero)


def combine_masks(causal, padding):
    n = int(causal.shape[-1])
    causal = causal.reshape([1, 1, n, n])
    return F.min(padding, causal)
