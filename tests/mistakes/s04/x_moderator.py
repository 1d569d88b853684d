"""Langkah 04: sembunyikan pesan kosong (padding)."""

from __future__ import annotations

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def _angka(nilai: float, jenis: DType, tempat) -> Tensor:
    """One number as a tensor."""
    return Tensor(nilai, dtype=jenis, device=tempat)


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    """Two moderators: the stricter one wins."""
    lebih_ketat = causal < padding  # [batch, 1, seq, seq]
    return F.where(lebih_ketat, causal, padding)


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    """0 for a real post, the lowest number for a blank one: [batch, 1, 1, seq]."""
    asli = token_ids != pad_token_id  # real posts

    terendah = finfo(dtype).min
    larangan = _angka(terendah, dtype, token_ids.device)
    izin = _angka(0.0, dtype, token_ids.device)
    topeng = F.where(asli, izin, larangan)

    jumlah, panjang = topeng.shape
    return topeng.reshape([jumlah, 1, 1, panjang])
