"""Hatua ya 04: vinyago vya ujazo (masks for padding)."""

from __future__ import annotations

from max.dtype import DType, finfo

# maktaba
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def tafuta_ujazo(vitambulisho: Tensor, ujazo: int) -> Tensor:
    # kweli palipo na ujazo
    return F.equal(vitambulisho, ujazo)


def tengeneza_namba(thamani: float, aina: DType, kifaa) -> Tensor:
    return Tensor(thamani, dtype=aina, device=kifaa)


def namba_mbili(aina: DType, kifaa):
    ficha = tengeneza_namba(finfo(aina).min, aina, kifaa)
    onyesha = tengeneza_namba(0.0, aina, kifaa)
    return ficha, onyesha


def ongeza_vipimo(kinyago: Tensor) -> Tensor:
    # [matini, maneno] -> [matini, vichwa, maswali, maneno]
    kwa_vichwa = F.unsqueeze(kinyago, 1)
    kwa_maswali = F.unsqueeze(kwa_vichwa, 2)
    return kwa_maswali


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    kifaa = token_ids.device
    ni_ujazo = tafuta_ujazo(token_ids, pad_token_id)
    ficha, onyesha = namba_mbili(dtype, kifaa)
    kinyago = F.where(ni_ujazo, ficha, onyesha)
    return ongeza_vipimo(kinyago)


def chagua_ndogo(kimoja: Tensor, kingine: Tensor) -> Tensor:
    return F.min(kimoja, kingine)


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    # wakati ujao na ujazo, vyote vifichwe
    pamoja = chagua_ndogo(causal, padding)
    return pamoja
