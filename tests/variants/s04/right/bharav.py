"""Bharav ki mask, prakaar ki jaanch ke saath."""

from __future__ import annotations

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def _jaancho(token_ids: Tensor, dtype: DType) -> None:
    if not dtype.is_float():
        raise TypeError(f"mask ke liye float chahiye, {dtype} nahin")
    if token_ids.rank != 2:
        raise ValueError(f"token_ids [batch, seq] hona chahiye, {token_ids.shape} nahin")


def _banao_chunav(chhupa: Tensor, dikha: Tensor):
    def chunav(kahan: Tensor) -> Tensor:
        return F.where(kahan, chhupa, dikha)

    return chunav


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    _jaancho(token_ids, dtype)
    jagah = {"device": token_ids.device, "dtype": dtype}
    chhupa = None
    if chhupa is None:
        chhupa = Tensor(finfo(dtype).min, **jagah)
    dikha = Tensor(0.0, **jagah)

    chunav = _banao_chunav(dikha=dikha, chhupa=chhupa)
    mask = chunav(token_ids == int(pad_token_id))
    while mask.rank < 4:
        mask = mask.unsqueeze(-2)
    return mask


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    seq = causal.shape[-1]
    poori = causal.reshape([1, 1, seq, seq])
    return F.elementwise_min(poori, padding)
