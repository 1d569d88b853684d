"""Nedensel maske: no token sees the waves that have not arrived yet."""

from __future__ import annotations

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike


def _sayi(uzunluk: DimLike) -> int:
    """A plain int of an int or a Dim."""
    return int(Dim(uzunluk))


def _sabit(deger: float, tur: DType, cihaz: Device) -> Tensor:
    """One number as a tensor."""
    return Tensor(deger, dtype=tur, device=cihaz)


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    yeni = _sayi(sequence_length)
    eski = _sayi(num_tokens)
    toplam = eski + yeni

    # the place in the text of every token that looks, and of every token looked at
    bakan = Tensor.arange(eski, toplam, dtype=DType.int64, device=device)  # [yeni]
    bakilan = Tensor.arange(0, toplam, dtype=DType.int64, device=device)  # [toplam]
    satirlar = bakan.reshape([yeni, 1])
    sutunlar = bakilan.reshape([1, toplam])

    gelecek = sutunlar > satirlar  # [yeni, toplam]
    batik = _sabit(float("-inf"), dtype, device)
    acik = _sabit(0.0, dtype, device)
    return F.where(gelecek, batik, acik)
